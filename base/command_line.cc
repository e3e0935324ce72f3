#include "base/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <utility>

namespace lockstep::base {
namespace {

// CLI11's own ranges print their bounds: 309 digits for the largest double.
CLI::Validator number_that(bool (*fits)(double), const char* in_help, const std::string& wanted) {
  return CLI::Validator(
      [fits, wanted](std::string& text) {
        double value = 0;
        const bool is_number = CLI::detail::lexical_cast(text, value);
        return is_number && fits(value) ? std::string() : text + " is not " + wanted;
      },
      in_help);
}

}  // namespace

Argument Argument::required() const {
  option_->required();
  return *this;
}

Argument Argument::shown_as(const std::string& value) const {
  option_->type_name(value);
  return *this;
}

Argument Argument::positive() const {
  option_->check(
      number_that([](double value) { return value > 0; }, "POSITIVE", "a number above 0"));
  return *this;
}

Argument Argument::not_negative() const {
  option_->check(
      number_that([](double value) { return value >= 0; }, "NONNEGATIVE", "0 or a number above"));
  return *this;
}

Argument Argument::between(int least, int most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

Argument Argument::between(double least, double most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

Argument Argument::one_of(const std::vector<std::string>& words) const {
  option_->check(CLI::IsMember(words));
  return *this;
}

Argument Argument::one_of_named(const std::map<std::string, int>& numbers) const {
  option_->transform(CLI::CheckedTransformer(numbers));
  return *this;
}

Argument Argument::bytes() const {
  option_->transform(CLI::AsSizeValue(false));
  return *this;
}

Argument Argument::separated_by(char separator) const {
  option_->delimiter(separator);
  return *this;
}

Argument Argument::one_each() const {
  option_->allow_extra_args(false);
  return *this;
}

Argument Argument::or_from(const std::string& variable) const {
  option_->envname(variable);
  return *this;
}

Argument Argument::needs(const Argument& other) const {
  option_->needs(other.option_);
  return *this;
}

Argument Argument::excludes(const Argument& other) const {
  option_->excludes(other.option_);
  return *this;
}

bool Argument::given() const { return option_->count() > 0; }

template <class T>
Argument Command::option(const std::string& name, T* value, const std::string& help) {
  return Argument(app_->add_option(name, *value, help));
}

template Argument Command::option(const std::string&, std::string*, const std::string&);
template Argument Command::option(const std::string&, int*, const std::string&);
template Argument Command::option(const std::string&, unsigned*, const std::string&);
template Argument Command::option(const std::string&, int64_t*, const std::string&);
template Argument Command::option(const std::string&, uint64_t*, const std::string&);
template Argument Command::option(const std::string&, double*, const std::string&);
template Argument Command::option(const std::string&, std::vector<std::string>*,
                                  const std::string&);
template Argument Command::option(const std::string&, std::vector<uint64_t>*, const std::string&);
template Argument Command::option(const std::string&, std::optional<int64_t>*, const std::string&);
template Argument Command::option(const std::string&, std::optional<uint64_t>*, const std::string&);
template Argument Command::option(const std::string&, std::optional<double>*, const std::string&);

Argument Command::flag(const std::string& name, bool* value, const std::string& help) {
  return Argument(app_->add_flag(name, *value, help));
}

Argument Command::flag(const std::string& name, int64_t alone, int64_t* value,
                       const std::string& help) {
  return Argument(app_->add_flag(name + "{" + std::to_string(alone) + "}", *value, help));
}

Command Command::command(const std::string& name, const std::string& help,
                         std::function<int()> run) {
  app_->require_subcommand(1);
  CLI::App* command = app_->add_subcommand(name, help);
  command->callback([chosen = chosen_, run = std::move(run)] { *chosen = run; });
  return {command, chosen_};
}

Command Command::group(const std::string& name, const std::string& help) {
  app_->require_subcommand(1);
  return {app_->add_subcommand(name, help), chosen_};
}

namespace {

// Names the word that stands in a command's place and is no command: CLI11 would only say that a
// command is required.
bool names_no_command(const CLI::App* app, int argc, const char* const* argv) {
  std::string path = app->get_name();
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
    if (commands.empty()) return false;
    const auto called =
        std::find_if(commands.begin(), commands.end(),
                     [&](const CLI::App* command) { return command->get_name() == argv[i]; });
    if (called == commands.end()) {
      std::fprintf(stderr, "%s: there is no command '%s'; `%s --help` lists them\n", path.c_str(),
                   argv[i], path.c_str());
      return true;
    }
    app = *called;
    path += " " + app->get_name();
  }
  return false;
}

}  // namespace

Program::Program(const std::string& help, const std::string& name)
    : Command(nullptr, &run_), owned_(std::make_unique<CLI::App>(help, name)) {
  app_ = owned_.get();
}

Program::~Program() = default;

void Program::footer(const std::string& text) { app_->footer(text); }

void Program::version(const std::string& text) { app_->set_version_flag("--version", text); }

std::optional<int> Program::parse(int argc, const char* const* argv) {
  if (names_no_command(app_, argc, argv)) return 2;
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app_->exit(error) == 0 ? 0 : 2;  // help and the version arrive here as well
  }
  return std::nullopt;
}

int Program::run() const { return run_(); }

}  // namespace lockstep::base
