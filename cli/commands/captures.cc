// `lockstep captures list|show|rm RUN [ID]`: the captures of a run.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/json.h"
#include "cli/capture/capture_text.h"
#include "cli/capture/common_clock.h"
#include "cli/commands.h"
#include "cli/show/output.h"
#include "dumper/run/all_captures.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

struct CapturesArguments : RunArguments {
  std::vector<std::string> ids;
};

bool is_run(const CapturesArguments& arguments) {
  std::error_code ignored;
  return fs::is_directory(arguments.directory, ignored);
}

// Files have their spread; of those without one it follows from the notes.
void add_spreads(const std::string& run, std::vector<dumper::Capture>* captures) {
  std::optional<CommonClock> clock;
  for (dumper::Capture& capture : *captures) {
    if (dumper::capture_has_file(run, capture.id)) continue;
    if (!clock) clock.emplace(run);
    clock->measure_spread(&capture);
  }
}

int list(const CapturesArguments& arguments) {
  if (!is_run(arguments))
    return bad_input(arguments.directory + ": there is no such run directory");
  std::vector<std::string> damage;
  auto captures = dumper::all_captures(arguments.directory, &damage);
  add_spreads(arguments.directory, &captures);
  for (const std::string& sentence : damage) complain(sentence);
  if (arguments.json) {
    std::string rows;
    for (const dumper::Capture& capture : captures)
      rows += (rows.empty() ? "" : ",") + dumper::capture_json(capture);
    print_json("[" + rows + "]");
  } else if (captures.empty()) {
    print("no captures\n");
  } else {
    print(captures_table(captures));
  }
  return with_damage(kOk, damage);
}

int show(const CapturesArguments& arguments) {
  auto found = dumper::find_capture(arguments.directory, arguments.ids.front());
  if (!found.ok()) return bad_input(found.message());
  std::vector<dumper::Capture> captures = {std::move(found.value())};
  add_spreads(arguments.directory, &captures);
  if (arguments.json) {
    print_json(dumper::capture_json(captures.front()));
  } else {
    print(capture_text(captures.front()));
  }
  return kOk;
}

constexpr const char* kNothing = "; nothing was removed";

// The copies first: what is left of an interrupted removal still has its file.
int rm(const CapturesArguments& arguments) {
  for (const std::string& id : arguments.ids) {
    if (dumper::is_only_noted(arguments.directory, id))
      return bad_input(
          id + ": there is nothing to remove: it is no more than a note in the run's segments" +
          kNothing);
    const auto capture = dumper::find_capture(arguments.directory, id);
    if (!capture.ok()) return bad_input(capture.message() + kNothing);
  }
  for (const std::string& id : arguments.ids) {
    std::error_code error;
    fs::remove_all(dumper::capture_copies(arguments.directory, id), error);
    if (!error) fs::remove(dumper::capture_path(arguments.directory, id), error);
    if (error)
      return bad_input(dumper::capture_path(arguments.directory, id) +
                       ": cannot be removed: " + error.message());
    print("removed " + id + "\n");
  }
  return kOk;
}

}  // namespace

void add_captures(base::Command& lockstep) {
  const auto arguments = std::make_shared<CapturesArguments>();
  base::Command captures = lockstep.group("captures", "List, show or remove the captures of a run");
  const auto add = [&](const char* name, const char* help, int (*run)(const CapturesArguments&)) {
    base::Command command =
        captures.command(name, help, [arguments, run] { return run(*arguments); });
    command.option("RUN", &arguments->directory, "The run directory").required();
    return command;
  };
  base::Command command = add("list", "List the captures, oldest first", list);
  command.flag("--json", &arguments->json, "Print a JSON array");
  command = add("show", "Show one capture: every rank, and when it began", show);
  command.option("ID", &arguments->ids, "The capture").required();
  command.flag("--json", &arguments->json, "Print one JSON object");
  command = add("rm", "Remove captures: their files, and the records kept for them", rm);
  command.option("ID", &arguments->ids, "The captures").required();
}

}  // namespace lockstep::cli
