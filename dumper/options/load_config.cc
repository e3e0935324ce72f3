#include "dumper/options/load_config.h"

#include <string_view>

#include "base/text.h"
#include "dumper/options/config_file.h"
#include "dumper/options/option_names.h"

namespace lockstep::dumper {
namespace {

// Names that belong to the project's own tests, not to users.
constexpr std::string_view kXlaPrefix = "XLA_";
constexpr std::string_view kPrefix = "LOCKSTEP_", kTestPrefix = "LOCKSTEP_TEST_";

bool is_ours(std::string_view name) {
  return starts_with(name, kPrefix) && !starts_with(name, kTestPrefix);
}

struct Variable {
  std::string_view name, value;
};

Variable split(const char* entry) {
  const std::string_view text = entry;
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {text, {}};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// An empty value counts as unset, the way shells clear a variable for one command.
std::string_view find_variable(const char* const* environment, std::string_view name) {
  for (; *environment != nullptr; ++environment) {
    const Variable variable = split(*environment);
    if (variable.name == name) return variable.value;
  }
  return {};
}

std::string value_in_use(const Config& config, Option option) {
  const char* text = config.text(option);
  if (*text == '\0') return "it stays unset";
  return std::string("using ") + text + " (" +
         kOriginNames[static_cast<size_t>(config.origin(option))] + ")";
}

void apply_variable(const Variable& variable, Option option, LoadedConfig* loaded) {
  const Status status = loaded->config.set(option, variable.value, Origin::Environment);
  if (status.ok()) return;
  loaded->notices.push_back(
      {Severity::Warning, std::string(variable.name) + "=" + std::string(variable.value) + ": " +
                              status.message() + "; " + value_in_use(loaded->config, option)});
}

void apply_environment(const char* const* environment, LoadedConfig* loaded) {
  for (const char* const* entry = environment; *entry != nullptr; ++entry) {
    const Variable variable = split(*entry);
    if (!is_ours(variable.name)) continue;
    const std::optional<Option> option = find_option(variable.name, NameStyle::Environment);
    if (!option) {
      loaded->notices.push_back(
          {Severity::Warning, std::string(variable.name) + " is not an option of lockstep" +
                                  nearest_name_hint(variable.name, NameStyle::Environment)});
    } else if (!variable.value.empty()) {
      apply_variable(variable, *option, loaded);
    }
  }
  // XLA has many variables that are not ours: only those that nearly are, are misspelled.
  for (const char* const* entry = environment; *entry != nullptr; ++entry) {
    const std::string_view name = split(*entry).name;
    const std::string meant = starts_with(name, kXlaPrefix) ? misspelled_alias(name) : "";
    if (!meant.empty())
      loaded->notices.push_back(
          {Severity::Warning,
           std::string(name) + " is not an option: did you mean " + meant + "?"});
  }
  for (const OptionAlias& alias : kOptionAliases) {
    const std::string_view value = find_variable(environment, alias.environment);
    if (value.empty() || loaded->config.origin(alias.option) == Origin::Environment) continue;
    apply_variable({alias.environment, value}, alias.option, loaded);
    if (!alias.says_so) continue;
    loaded->notices.push_back(
        {Severity::Info, std::string(alias.environment) + " is taken as " +
                             option_name(alias.option, NameStyle::Environment)});
  }
}

}  // namespace

LoadedConfig load_config(const char* const* environment) {
  LoadedConfig loaded;
  const std::string others(find_variable(environment, kXlaConfigVariable));
  if (!others.empty()) {
    loaded.notices.push_back(
        {Severity::Info, std::string(kXlaConfigVariable) + " is read like " +
                             option_name(Option::Config, NameStyle::Environment)});
    load_config_file(others.c_str(), &loaded.config, &loaded.notices);
  }
  const std::string path(
      find_variable(environment, option_name(Option::Config, NameStyle::Environment)));
  if (!path.empty()) load_config_file(path.c_str(), &loaded.config, &loaded.notices);
  apply_environment(environment, &loaded);
  fill_in_preset(&loaded.config);
  return loaded;
}

std::string not_enabled_notice(const char* const* environment) {
  std::string set_in_vain;
  for (const char* const* entry = environment; *entry != nullptr; ++entry) {
    const Variable variable = split(*entry);
    if (!is_ours(variable.name) || variable.value.empty()) continue;
    const std::optional<Option> option = find_option(variable.name, NameStyle::Environment);
    if (option == Option::Enable) return {};  // off is meant
    // A misspelled name means us, too; what only the command reads does not mean the plugin.
    if (option && std::string_view(option_row(*option).section) == "command") continue;
    set_in_vain += (set_in_vain.empty() ? "" : ", ") + std::string(variable.name);
  }
  if (set_in_vain.empty()) return {};
  return "lockstep is configured (" + set_in_vain +
         ") but not enabled, so nothing is recorded: set NCCL_PROFILER_PLUGIN=lockstep or "
         "LOCKSTEP_ENABLE=1";
}

}  // namespace lockstep::dumper
