// What every command takes that asks a running job: whom to ask, how long to wait, and JSON. How a
// command is made of it: declare with add_live_command(), find_live_targets(), live::ask_all(), print
// with print_live(), which gives the exit code.
#pragma once

#include <memory>
#include <string>

#include "cli/commands.h"
#include "live/asker/answers_json.h"

namespace lockstep::cli {

struct LiveArguments {
  std::string run;       // or, in its place:
  std::string agents;    // HOST:PORT,...
  std::string job;       // SLURM's id of it
  std::string key_file;  // of the run, where it is not in the run directory
  bool json = false;
  double timeout_s = 5;
  bool needs_run = true;  // a run or agents; else all of this user's processes will do
};

// Declares RUN and the options; `needs_run`: the command asks one run, and not all of this user's
// processes.
void add_live_arguments(base::Command& command, LiveArguments* arguments, bool needs_run);
// The options alone, for a command with a RUN of its own.
void add_live_options(base::Command& command, LiveArguments* arguments);

// Complains and gives exit code 2 where it is not clear whom to ask.
int check_live_arguments(const LiveArguments& arguments);

// Declares a command; Arguments: LiveArguments, or what adds to it.
template <class Arguments>
base::Command add_live_command(base::Command& lockstep, const char* name, const char* help,
                               const std::shared_ptr<Arguments>& arguments,
                               int (*run)(const Arguments& arguments), bool needs_run = true) {
  base::Command command = lockstep.command(name, help, [arguments, run] {
    const int wrong = check_live_arguments(*arguments);
    return wrong != kOk ? wrong : run(*arguments);
  });
  add_live_arguments(command, arguments.get(), needs_run);
  return command;
}

// The run directory: given, or of the job; empty where neither was.
Result<std::string> live_run(const LiveArguments& arguments);
Result<live::Targets> find_live_targets(const LiveArguments& arguments);
// The deadline counts from now.
live::AskTerms live_terms(const LiveArguments& arguments);
// find_live_targets() and ask_all() for a question without parts.
Result<live::Answers> ask_live(const LiveArguments& arguments, const std::string& word,
                               const std::string& question_arguments);

// The envelope of every live answer: {"hosts_asked", "hosts_answered", "failed": [{"host", "reason"}],
// "oldest_data_ns", "bytes", NAME: rows}. `rows` is a JSON array, as all_rows() gives it.
std::string live_json(const live::Answers& answers, const std::string& name,
                      const std::string& rows);

// Prints the envelope, or `text` and then a line on stderr for each that did not answer. The exit
// code: 0 all answered, 1 some did not, 3 no host answered.
int print_live(const LiveArguments& arguments, const live::Answers& answers,
               const std::string& name, const std::string& rows, const std::string& text);

}  // namespace lockstep::cli
