// `lockstep info DIR`: who wrote this run, and in what state it is.
#include <cstdio>
#include <map>

#include "analysis/inspect/describe_run.h"
#include "analysis/tables/labels.h"
#include "cli/commands.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

std::string seconds(uint64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", static_cast<double>(ns) * 1e-9);
  return text;
}

std::string percent(double value) {
  if (value < 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %%", value);
  return text;
}

// The most that records took at once.
std::string megabytes(uint64_t bytes) {
  if (bytes == 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) * 1e-6);
  return text;
}

// " of rccl 2.30.7"; nothing where the recording is older than this fact.
std::string loaded_by(const dumper::ProcessFacts& facts) {
  if (facts.nccl_library.empty()) return "";
  const uint32_t version = facts.nccl_version;
  std::string text = " of " + facts.nccl_library;
  if (version != 0) {
    text += " " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
            "." + std::to_string(version % 100);
  }
  return text;
}

std::string ranks_of(const analysis::ProcessSummary& process) {
  std::string text;
  constexpr size_t kMostShown = 4;
  for (size_t i = 0; i < process.communicators.size() && i < kMostShown; ++i) {
    const dumper::CommFacts& comm = process.communicators[i];
    text += (i == 0 ? "" : ", ") + std::to_string(comm.rank) + "/" + std::to_string(comm.ranks);
  }
  return process.communicators.size() > kMostShown ? text + ", ..." : text;
}

// "dir=/a: host:1, host:2; dir=/b: host:3".
void print_differences(const analysis::RunSummary& run) {
  constexpr size_t kMostShown = 4;
  for (const analysis::SettingDifference& difference : run.different_settings) {
    std::string text;
    for (const analysis::SettingValue& value : difference.values) {
      text += (text.empty() ? "" : "; ") + difference.option + "=" + value.value + ": ";
      for (size_t i = 0; i < value.processes.size() && i < kMostShown; ++i) {
        const dumper::ProcessEntry& process = run.processes[value.processes[i]].entry;
        text += (i == 0 ? "" : ", ") + process.host + ":" + std::to_string(process.pid);
      }
      if (value.processes.size() > kMostShown)
        text += " and " + std::to_string(value.processes.size() - kMostShown) + " more";
    }
    print("processes differ: " + text + "\n");
  }
}

// "communicator split0 (0x1f) is of split 1, color 0, of world (0x2e)".
void print_splits(const analysis::RunSummary& run) {
  std::map<uint64_t, std::string> names;
  for (const analysis::ProcessSummary& process : run.processes) {
    for (const dumper::CommFacts& comm : process.communicators) names[comm.id] = comm.name;
  }
  const auto named = [&](uint64_t id) { return names[id] + " (" + analysis::hex_text(id) + ")"; };
  for (const auto& [id, split] : run.split_tree.splits())
    print("communicator " + named(id) + " is of split " + std::to_string(split.number) +
          ", color " + std::to_string(split.color) + ", of " + named(split.parent_id) + "\n");
}

void print_run(const analysis::RunSummary& run) {
  Table table({{"host"},
               {"pid", Align::Right},
               {"state"},
               {"ranks"},
               {"records", Align::Right},
               {"lost", Align::Right},
               {"overhead", Align::Right},
               {"memory", Align::Right},
               {"bytes", Align::Right},
               {"files", Align::Right},
               {"seconds", Align::Right}});
  for (const analysis::ProcessSummary& process : run.processes) {
    table.add({process.entry.host, std::to_string(process.entry.pid), process.state,
               ranks_of(process), std::to_string(process.records), std::to_string(process.lost),
               percent(process.overhead_percent), megabytes(process.memory_high_water_bytes),
               std::to_string(process.bytes), std::to_string(process.entry.segments.size()),
               seconds(process.last_raw_ns - process.first_raw_ns)});
  }
  print(table.text());
  for (const analysis::ProcessSummary& process : run.processes) {
    if (!process.shed.empty())
      print(process.entry.host + ":" + std::to_string(process.entry.pid) + ": " + process.shed +
            "\n");
  }
  if (!run.processes.empty()) {
    const dumper::ProcessFacts& facts = run.processes[0].entry.facts;
    print("lockstep " + facts.library_version + ", profiler table v" +
          std::to_string(facts.abi_version) + loaded_by(facts) +
          (facts.driver_version.empty() ? "" : ", driver " + facts.driver_version) + ", clock " +
          facts.tick_source + "\n");
    for (const std::string& note : facts.notes) print("note: " + note + "\n");
    for (const dumper::OptionFact& option : facts.options) {
      if (option.origin != "default")
        print("option " + option.name + "=" + option.value + " (" + option.origin + ")\n");
    }
  }
  print_splits(run);
  print_differences(run);
  for (const std::string& file : run.load_files) print("host load " + file + "\n");
  for (const std::string& arena : run.arenas)
    print("memory file " + arena + ": of a running process, or `lockstep recover` reads it\n");
}

int run_info(const RunArguments& arguments) {
  const auto summary = analysis::describe_run(arguments.directory);
  if (!summary.ok()) return bad_input(summary.message());
  if (arguments.json) {
    print_json(summary.value().to_json());
  } else {
    print_run(summary.value());
  }
  for (const std::string& sentence : summary.value().damage) complain(sentence);
  if (!summary.value().mixed_jobs.empty()) complain(summary.value().mixed_jobs);
  return with_damage(kOk, summary.value().damage);
}

}  // namespace

void add_info(base::Command& lockstep) {
  add_run_command(lockstep, "info", "Show the processes of a run and the state of each",
                  std::make_shared<RunArguments>(), run_info);
}

}  // namespace lockstep::cli
