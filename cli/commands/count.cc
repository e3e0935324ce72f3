// `lockstep count DIR`: how many calls of each kind a run holds.

#include "analysis/inspect/count_run.h"
#include "analysis/say/words.h"
#include "cli/commands.h"
#include "cli/show/output.h"
#include "cli/show/selection_options.h"

namespace lockstep::cli {
namespace {

void add_row(const char* name, const analysis::RunCounts& counts, unsigned kind, Table* table) {
  const uint64_t numbers[] = {counts.starts[kind],   counts.states[kind], counts.stops[kind],
                              counts.filtered[kind], counts.shed[kind],   counts.folded[kind],
                              counts.given_up[kind], counts.unknown[kind]};
  std::vector<std::string> cells = {name};
  bool any = false;
  for (uint64_t number : numbers) {
    cells.push_back(std::to_string(number));
    any = any || number != 0;
  }
  if (any) table->add(cells);
}

void print_table(const analysis::RunCounts& counts) {
  Table table({{"kind"},
               {"starts", Align::Right},
               {"states", Align::Right},
               {"stops", Align::Right},
               {"filtered", Align::Right},
               {"shed", Align::Right},
               {"folded", Align::Right},
               {"given up", Align::Right},
               {"unknown", Align::Right}});
  for (unsigned kind = 0; kind < kCountedKinds; ++kind)
    add_row(kKindNames[kind], counts, kind, &table);
  print(table.text());
  using analysis::counted;
  print(counted(counts.records, "record") + " of " + counted(counts.communicators, "communicator") +
        " in " + std::to_string(counts.processes) +
        (counts.processes == 1 ? " process; " : " processes; ") + std::to_string(counts.late) +
        " late, " + counted(counts.damaged_chunks, "damaged chunk") + ", " +
        counted(counts.torn_tails, "torn tail") + ", " +
        counted(counts.unreadable_files, "unreadable file") + "\n");
}

struct CountArguments : RunArguments {
  SelectionArguments selection;
};

int run(const CountArguments& arguments) {
  auto selection = arguments.selection.selection();
  if (!selection.ok()) return bad_usage(selection.message());
  std::string directory = arguments.directory;
  const Status captured = arguments.selection.take_capture(&directory, &selection.value());
  if (!captured.ok()) return bad_input(captured.message());
  const auto counts = analysis::count_run(directory, selection.value());
  if (!counts.ok()) return bad_input(counts.message());
  if (arguments.json) {
    print_json(counts.value().to_json());
  } else {
    print_table(counts.value());
  }
  for (const std::string& sentence : counts.value().damage) complain(sentence);
  return with_damage(kOk, counts.value().damage);
}

}  // namespace

void add_count(base::Command& lockstep) {
  const auto arguments = std::make_shared<CountArguments>();
  base::Command command =
      add_run_command(lockstep, "count", "Count the recorded calls by kind", arguments, run);
  arguments->selection.add_to(&command, "--to");
}

}  // namespace lockstep::cli
