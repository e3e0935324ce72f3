// `lockstep recover DIR` and `lockstep recover --all`: what killed processes left becomes segments.
#include "analysis/recover.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <memory>

#include "cli/commands.h"
#include "cli/output.h"

namespace lockstep::cli {
namespace {

using Outcome = dumper::RecoveredProcess::Outcome;

struct Arguments {
  std::string directory;
  bool all = false, json = false;
};

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Recovered:
      return "recovered";
    case Outcome::NothingLeft:
      return "nothing_left";
    case Outcome::Running:
      return "running";
    case Outcome::Elsewhere:
      return "elsewhere";
    case Outcome::Failed:
      return "failed";
  }
  return "failed";
}

void print_as_json(const std::vector<dumper::RecoveredProcess>& processes) {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> out(text);
  out.StartObject();
  out.Key("processes");
  out.StartArray();
  for (const dumper::RecoveredProcess& process : processes) {
    out.StartObject();
    out.Key("outcome");
    out.String(name_of(process.outcome));
    out.Key("host");
    out.String(process.host.c_str());
    out.Key("pid");
    out.Uint(process.pid);
    out.Key("records");
    out.Uint64(process.records);
    out.Key("in_progress");
    out.Uint64(process.in_progress);
    out.Key("segment");
    out.String(process.segment.c_str());
    out.Key("sentence");
    out.String(process.sentence.c_str());
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
  print_json({text.GetString(), text.GetSize()});
}

int run(const Arguments& arguments) {
  if (!arguments.all && arguments.directory.empty()) throw CLI::RequiredError("DIR or --all");
  const Result<std::vector<dumper::RecoveredProcess>> recovered =
      arguments.all ? dumper::recover_all() : dumper::recover_run(arguments.directory);
  if (!recovered.ok()) return bad_input(recovered.message());
  bool failed = false;
  for (const dumper::RecoveredProcess& process : recovered.value()) {
    failed = failed || process.outcome == Outcome::Failed;
    if (!arguments.json) print(process.sentence + "\n");
  }
  if (arguments.json) print_as_json(recovered.value());
  if (!arguments.json && recovered.value().empty()) print("nothing to recover\n");
  return failed ? kFinding : kOk;
}

}  // namespace

void add_recover(CLI::App& app, int& exit_code) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(app, exit_code, "recover",
                                  "Turn what killed processes left in memory files into segments",
                                  [arguments] { return run(*arguments); });
  CLI::Option* all = command->add_flag("--all", arguments->all,
                                       "Everything that this user's dead processes left on this "
                                       "host, each in its own run directory");
  command->add_option("directory", arguments->directory, "the run directory, when not --all")
      ->type_name("DIR")
      ->excludes(all);
  command->add_flag("--json", arguments->json, "Print one JSON object");
}

}  // namespace lockstep::cli
