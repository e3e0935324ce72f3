#include "dumper/options/option_names.h"

#include <algorithm>
#include <vector>

namespace lockstep::dumper {
namespace {

constexpr std::string_view kPrefix = "LOCKSTEP_";

// ASCII only: toupper() would follow the host program's locale.
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// Insertions, deletions, changes and swaps of neighbours that turn one name into the other.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string option_name(Option option, NameStyle style) {
  const std::string_view name = option_row(option).name;
  if (style == NameStyle::Json) return std::string(name);
  std::string environment(kPrefix);
  for (char c : name) environment += upper(c);
  return environment;
}

std::optional<Option> find_option(std::string_view name, NameStyle style) {
  for (size_t i = 0; i < kOptionCount; ++i) {
    const auto option = static_cast<Option>(i);
    if (option_name(option, style) == name) return option;
  }
  return std::nullopt;
}

std::string nearest_name_hint(std::string_view name, NameStyle style) {
  // Longer ones are no misspelling, and the search is quadratic.
  constexpr size_t kLongestName = 64;
  const size_t near = std::min<size_t>(name.size() / 3 + 1, 6);
  size_t best_distance = near + 1;
  std::string best;
  const auto compare = [&](std::string candidate) {
    const size_t distance = edit_distance(name, candidate);
    if (distance >= best_distance) return;
    best_distance = distance;
    best = std::move(candidate);
  };
  for (size_t i = 0; i < kOptionCount && name.size() <= kLongestName; ++i)
    compare(option_name(static_cast<Option>(i), style));
  for (const OptionAlias& alias : kOptionAliases) {
    if (style == NameStyle::Json && *alias.key != '\0' && name.size() <= kLongestName)
      compare(alias.key);
  }
  return best.empty() ? "; `lockstep config` lists the names" : ": did you mean " + best + "?";
}

std::string misspelled_alias(std::string_view name) {
  constexpr size_t kLongestName = 64, kMostErrors = 2;
  for (const OptionAlias& alias : kOptionAliases) {
    if (!alias.says_so || name.size() > kLongestName) continue;
    const size_t distance = edit_distance(name, alias.environment);
    if (distance > 0 && distance <= kMostErrors) return alias.environment;
  }
  return {};
}

}  // namespace lockstep::dumper
