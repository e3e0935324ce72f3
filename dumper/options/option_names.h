// Finds options by name and suggests the nearest real name for one that is none. Cold code.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lockstep/config.h"

namespace lockstep::dumper {

enum class NameStyle { Json, Environment };  // dump_interval_us, LOCKSTEP_DUMP_INTERVAL_US

// Decided before any file is read, so it cannot be set in one.
constexpr bool environment_only(Option option) {
  return option == Option::Enable || option == Option::Config;
}
std::string option_name(Option option, NameStyle style);
// Ours only; aliases are kOptionAliases.
std::optional<Option> find_option(std::string_view name, NameStyle style);
// `: did you mean dump_interval_us?`, or where the names are listed when none is near.
std::string nearest_name_hint(std::string_view name, NameStyle style);
// The name of another program's variable that `name` misspells by a letter or two (kOptionAliases); empty: none.
std::string misspelled_alias(std::string_view name);

}  // namespace lockstep::dumper
