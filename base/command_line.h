// What a program takes on its command line: declared here, parsed into the program's own variables,
// explained by --help. The one place that knows CLI11, whose header costs ten seconds a source.
// Main thread, once. A user's mistake is named on stderr and becomes exit status 2; a mistake in a
// declaration ends the program at its first call. Never exits by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lockstep::base {

// One argument, to say more of it: command.option("--top", &top, "Rows").positive().shown_as("N").
class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}

  Argument required() const;
  Argument shown_as(const std::string& value) const;  // what --help calls its value
  Argument positive() const;
  Argument not_negative() const;
  Argument between(int least, int most) const;
  Argument between(double least, double most) const;
  Argument one_of(const std::vector<std::string>& words) const;
  Argument one_of_named(const std::map<std::string, int>& numbers) const;  // or the number itself
  Argument bytes() const;                               // also 64K, 1M, 2G: powers of 1024
  Argument separated_by(char separator) const;          // for vectors: --ops a,b
  Argument one_each() const;                            // for vectors: --compare A --compare B
  Argument or_from(const std::string& variable) const;  // of the environment
  Argument needs(const Argument& other) const;
  Argument excludes(const Argument& other) const;
  bool given() const;  // after parsing

 private:
  CLI::Option* option_;
};

// A program, or one of its commands.
class Command {
 public:
  // NAME is "--top", "-o,--output", or "DIR" for a positional argument. T: std::string, int,
  // unsigned, int64_t, uint64_t, double, a vector of strings or uint64_t, an optional of int64_t,
  // uint64_t or double. `value` outlives the parsing.
  template <class T>
  Argument option(const std::string& name, T* value, const std::string& help);
  Argument flag(const std::string& name, bool* value, const std::string& help);
  // One that may carry a number: --name stands for --name=ALONE. `value` stays 0 without it.
  Argument flag(const std::string& name, int64_t alone, int64_t* value, const std::string& help);

  // Adds a command; `run` gives the program's exit status when it is the one that was called.
  Command command(const std::string& name, const std::string& help, std::function<int()> run);
  // Adds a command that only holds others, one of which must be called.
  Command group(const std::string& name, const std::string& help);

 protected:
  Command(CLI::App* app, std::function<int()>* chosen) : app_(app), chosen_(chosen) {}

  CLI::App* app_;
  std::function<int()>* chosen_;  // what the command that was called runs
};

class Program : public Command {
 public:
  // An empty name: that of the file that was started.
  explicit Program(const std::string& help, const std::string& name = "");
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void footer(const std::string& text);   // under every help; before commands are added
  void version(const std::string& text);  // what --version prints
  // Reads the arguments. Not empty: help, the version or a mistake was printed, and this is the
  // exit status: 0 or 2. Otherwise the program goes on, one with commands by run().
  std::optional<int> parse(int argc, const char* const* argv);
  int run() const;

 private:
  std::unique_ptr<CLI::App> owned_;
  std::function<int()> run_;
};

}  // namespace lockstep::base
