// `lockstep cat DIR`: every record, in time order, as JSON Lines.
#include <cstdio>
#include <memory>

#include "analysis/inspect/cat_run.h"
#include "cli/commands.h"
#include "cli/show/fields_markdown.h"
#include "cli/show/output.h"
#include "cli/show/selection_options.h"
#include "lockstep/event.h"

namespace lockstep::cli {
namespace {

struct CatArguments {
  std::string directory, kind;
  bool fields = false;
  SelectionArguments selection;
  analysis::CatOptions options;
};

int run(CatArguments* arguments) {
  if (arguments->fields) {
    print(fields_markdown());
    return kOk;
  }
  if (arguments->directory.empty()) return bad_usage("DIR is required");
  if (!arguments->kind.empty()) {
    for (unsigned kind = 0; kind < kKinds; ++kind) {
      if (arguments->kind == kKindNames[kind]) arguments->options.kind = static_cast<int>(kind);
    }
    if (arguments->options.kind < 0) {
      return bad_usage("--kind " + arguments->kind +
                       ": no such kind; they are named as in `lockstep count`, for example Coll");
    }
  }
  const auto selection = arguments->selection.selection();
  if (!selection.ok()) return bad_usage(selection.message());
  arguments->options.selection = selection.value();
  std::string directory = arguments->directory;
  const Status captured =
      arguments->selection.take_capture(&directory, &arguments->options.selection);
  if (!captured.ok()) return bad_input(captured.message());
  const auto damage =
      analysis::cat_run(directory, arguments->options, [](const std::string& lines) {
        return std::fwrite(lines.data(), 1, lines.size(), stdout) == lines.size();
      });
  if (!damage.ok()) return bad_input(damage.message());
  for (const std::string& sentence : damage.value()) complain(sentence);
  return with_damage(kOk, damage.value());
}

}  // namespace

void add_cat(base::Command& lockstep) {
  const auto arguments = std::make_shared<CatArguments>();
  base::Command command =
      lockstep.command("cat", "Print every record in time order, one JSON object per line",
                       [arguments] { return run(arguments.get()); });
  command.option("DIR", &arguments->directory, "The run directory");
  command.option("--kind", &arguments->kind, "Print only events of this kind").shown_as("KIND");
  command.option("--rank", &arguments->options.rank, "Print only records of ranks with this number")
      .not_negative();
  command.option("--limit", &arguments->options.limit, "Stop after this many lines").positive();
  arguments->selection.add_to(&command, "--to");
  command.flag("--fields", &arguments->fields, "Print the list of fields in docs/format.md");
}

}  // namespace lockstep::cli
