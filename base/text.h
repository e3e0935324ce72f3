// Small questions about texts that many rooms ask. No locale.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

constexpr bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// And something before it.
constexpr bool has_ending(std::string_view text, std::string_view ending) {
  return text.size() > ending.size() && text.substr(text.size() - ending.size()) == ending;
}

// What stands after the last slash.
inline std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// All of the text as a whole number that the type holds; empty for anything else, a sign of plus and
// blanks included.
template <class Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  Number number{};
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number, base);
  if (text.empty() || error != std::errc() || end != last) return std::nullopt;
  return number;
}

}  // namespace lockstep
