// `lockstep ctl`: asks and changes running processes through their control sockets; with --all on
// every host of the run.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock_ns.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/live/live_arguments.h"
#include "cli/show/output.h"
#include "live/local/control_client.h"
#include "live/questions/ctl_answer.h"

namespace lockstep::cli {
namespace {

struct CtlArguments : LiveArguments {
  std::vector<std::string> words;
  bool all = false;
};

std::string request_of(const CtlArguments& arguments) {
  std::string request;
  for (const std::string& word : arguments.words) request += (request.empty() ? "" : " ") + word;
  return request;
}

bool is_refusal(const std::string& answer) { return answer.compare(0, 9, "{\"error\":") == 0; }

int ask_here(const CtlArguments& arguments) {
  const auto processes = live::controlled_processes(arguments.run);
  if (!processes.ok()) return bad_input(processes.message());
  int exit_code = kOk;
  for (const Result<std::string>& answer :
       live::ask_processes_for(live::this_asker(), processes.value(), request_of(arguments),
                               mono_now_ns() + live::kControlPatienceNs)) {
    if (!answer.ok()) {
      exit_code = bad_input(answer.message());
      continue;
    }
    print_json(answer.value());
    if (is_refusal(answer.value()) && exit_code == kOk) exit_code = kUsage;
  }
  return exit_code;
}

// A line for each process; true when one of them refused.
bool list_answers(const std::string& rows, std::string* text) {
  json::Document document;
  parse_json_list(rows, &document);
  bool refused = false;
  for (const json::Value& row : document.GetArray()) {
    const json::Value* answer = member(row, "answer");
    if (answer == nullptr) continue;
    refused = refused || member(*answer, "error") != nullptr;
    JsonFields line;
    answer->Accept(line.writer());
    *text += text_member(row, "host") + " " + std::to_string(uint_member(row, "pid")) + " " +
             std::string(line.text()) + "\n";
  }
  return refused;
}

int ask_everywhere(const CtlArguments& arguments) {
  JsonFields question;
  question.object([&] { question.string("request", request_of(arguments)); });
  const Result<live::Answers> answers = ask_live(arguments, "ctl", std::string(question.text()));
  if (!answers.ok()) return bad_input(answers.message());
  const std::string rows = all_rows(answers.value());
  std::string text;
  const bool refused = list_answers(rows, &text);
  const int code = print_live(arguments, answers.value(), "processes", rows, text);
  return refused && code == kOk ? int{kUsage} : code;
}

int run(CtlArguments arguments) {
  if (!arguments.agents
           .empty()) {  // in place of the run: then the first word is one of the request
    arguments.words.insert(arguments.words.begin(), std::exchange(arguments.run, ""));
    arguments.all = true;
  }
  if (arguments.words.empty() || arguments.words.front().empty())
    return bad_usage("what to ask: status, events KINDS, flush, snapshot or interval US");
  const int wrong = check_live_arguments(arguments);
  if (wrong != kOk) return wrong;
  return arguments.all ? ask_everywhere(arguments) : ask_here(arguments);
}

}  // namespace

void add_ctl(base::Command& lockstep) {
  const auto arguments = std::make_shared<CtlArguments>();
  base::Command command = lockstep.command(
      "ctl",
      "Query or change running processes: status, events KINDS, flush, snapshot, interval US",
      [arguments] { return run(*arguments); });
  command
      .option("where", &arguments->run,
              "A run directory (all its processes on this machine) or a process id")
      .shown_as("DIR|PID");
  command
      .option("words", &arguments->words,
              "status | events none, all, a preset or kinds | events +KINDS for 10s | flush | "
              "snapshot | "
              "interval US")
      .shown_as("WORDS");
  command.flag("--all", &arguments->all, "On all hosts of the run, not only on this machine");
  add_live_options(command, arguments.get());
}

}  // namespace lockstep::cli
