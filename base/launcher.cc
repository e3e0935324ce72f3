#include "base/launcher.h"

#include <cstdlib>
#include <string_view>

namespace lockstep {

Variables variables_of(const char* const* environment) {
  return [environment](const char* name) {
    const std::string_view wanted = name;
    for (const char* const* entry = environment; *entry != nullptr; ++entry) {
      const std::string_view text = *entry;
      if (text.size() > wanted.size() && text[wanted.size()] == '=' &&
          text.substr(0, wanted.size()) == wanted)
        return std::string(text.substr(wanted.size() + 1));
    }
    return std::string();
  };
}

Variables process_variables() {
  return [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
}

LaunchValue launch_value(LaunchFact fact, const Variables& variables,
                         std::optional<Launcher> only) {
  for (const LaunchVariable& variable : kLaunchVariables) {
    if (variable.fact != fact || (only && variable.launcher != *only)) continue;
    std::string text = variables(variable.name);
    const bool names_nothing = fact == LaunchFact::Job && text == "none";
    if (!text.empty() && !names_nothing) return {&variable, std::move(text)};
  }
  return {};
}

std::string launch_fact(LaunchFact fact, const Variables& variables, std::optional<Launcher> only) {
  return launch_value(fact, variables, only).text;
}

}  // namespace lockstep
