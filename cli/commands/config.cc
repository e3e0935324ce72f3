// `lockstep config`: what would be in force here, where each value comes from, and what is wrong
// with it.

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/show/config_markdown.h"
#include "cli/show/output.h"
#include "dumper/options/config_file.h"
#include "dumper/options/event_mask.h"
#include "dumper/options/load_config.h"
#include "dumper/options/option_names.h"
#include "dumper/options/run_names.h"

namespace lockstep::cli {
namespace {

using dumper::LoadedConfig;
using dumper::NameStyle;

struct ConfigArguments {
  bool origin = false, json = false, markdown = false;
  std::string check;
};

// A preset of events is shown with what it stands for.
std::string shown_value(const dumper::Config& config, Option option) {
  std::string value = config.text(option);
  if (value.empty()) return "(unset)";
  if (option != Option::Events) return value;
  const dumper::EventChoice choice = config.events();
  const std::string kinds = dumper::event_names(choice.kinds, choice.one_in);
  return value == kinds ? value : value + " = " + kinds;
}

void print_table(const LoadedConfig& loaded, const ConfigArguments& arguments) {
  std::vector<Column> columns = {{"OPTION"}, {"VALUE"}};
  if (arguments.origin) columns.push_back({"FROM"});
  Table table(columns);
  for (size_t i = 0; i < kOptionCount; ++i) {
    const auto option = static_cast<Option>(i);
    std::vector<std::string> row = {option_name(option, NameStyle::Environment),
                                    shown_value(loaded.config, option)};
    if (arguments.origin)
      row.push_back(dumper::kOriginNames[static_cast<size_t>(loaded.config.origin(option))]);
    table.add(row);
  }
  print(table.text());
}

std::string run_directory(const dumper::Config& config) {
  return dumper::expand_directory(config.text(Option::Dir), dumper::process_names(config, environ));
}

void print_as_json(const LoadedConfig& loaded) {
  JsonFields out;
  const uint64_t mask = loaded.config.u64(Option::Events);
  out.object([&] {
    out.raw("options", config_json(loaded.config));
    out.number("event_mask", mask);
    out.string("event_kinds", dumper::event_names(static_cast<uint32_t>(mask)));
    out.string("run_directory", run_directory(loaded.config));
    out.list("notices", loaded.notices,
             [&](const dumper::Notice& notice) { out.element(notice.sentence); });
  });
  print_json(out.text());
}

int run(const ConfigArguments& arguments) {
  if (arguments.markdown) {
    print(configuration_markdown());
    return kOk;
  }
  LoadedConfig loaded;
  if (arguments.check.empty()) {
    loaded = dumper::load_config(environ);
  } else {
    if (access(arguments.check.c_str(), R_OK) != 0)
      return bad_input(arguments.check + ": " + std::strerror(errno));
    load_config_file(arguments.check.c_str(), &loaded.config, &loaded.notices);
    fill_in_preset(&loaded.config);
  }
  if (arguments.json) {
    print_as_json(loaded);
  } else {
    print_table(loaded, arguments);
  }
  for (const dumper::Notice& notice : loaded.notices) complain(notice.sentence);
  return loaded.notices.empty() ? kOk : kFinding;
}

}  // namespace

void add_config(base::Command& lockstep) {
  const auto arguments = std::make_shared<ConfigArguments>();
  base::Command command =
      lockstep.command("config", "Show the options in force here and any mistakes in them",
                       [arguments] { return run(*arguments); });
  command.flag("--origin", &arguments->origin,
               "Show where each value comes from: environment, file, preset or default");
  command
      .option("--check", &arguments->check, "Check a JSON file of options; ignore the environment")
      .shown_as("FILE");
  command.flag("--json", &arguments->json,
               "Print JSON, with the run directory and the kinds of events recorded");
  command.flag("--markdown", &arguments->markdown, "Print docs/configuration.md");
}

}  // namespace lockstep::cli
