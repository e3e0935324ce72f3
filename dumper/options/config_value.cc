#include "dumper/options/config_value.h"

#include <strings.h>

#include <optional>
#include <string>

#include "base/text.h"
#include "dumper/options/event_mask.h"

namespace lockstep::dumper {
namespace {

struct Bounds {
  uint64_t low = 0;
  uint64_t high = UINT64_MAX;
};

// Digits with at most one point; strtod would follow the host program's locale.
std::optional<double> decimal(std::string_view text) {
  double number = 0, scale = 1;
  size_t digits = 0, points = 0;
  for (char c : text) {
    if (c == '.') {
      if (++points > 1) return std::nullopt;
    } else if (c >= '0' && c <= '9') {
      number = number * 10 + (c - '0');
      if (points == 1) scale *= 10;
      ++digits;
    } else {
      return std::nullopt;
    }
  }
  constexpr size_t kMostDigits = 15;  // as many as a double holds exactly
  if (digits == 0 || digits > kMostDigits) return std::nullopt;
  return number / scale;
}

Bounds bounds_of(std::string_view range) {
  const size_t dots = range.find("..");
  if (dots == std::string_view::npos) return {};
  return {parse_number<uint64_t>(range.substr(0, dots)).value_or(0),
          parse_number<uint64_t>(range.substr(dots + 2)).value_or(UINT64_MAX)};
}

Status expected(const OptionRow& row, const char* what) {
  const Bounds bounds = bounds_of(row.range);
  std::string sentence = std::string("expected ") + what;
  if (row.range[0] != '\0') {
    sentence += " from " + std::to_string(bounds.low) + " to " + std::to_string(bounds.high);
  }
  return Status::error(sentence);
}

bool is_one_of(std::string_view text, std::initializer_list<const char*> words) {
  for (const char* word : words) {
    if (text.size() == std::string_view(word).size() &&
        strncasecmp(text.data(), word, text.size()) == 0)
      return true;
  }
  return false;
}

Result<ParsedValue> parse_flag(std::string_view text) {
  if (is_one_of(text, {"1", "true", "yes", "on"})) return ParsedValue{1, 1};
  if (is_one_of(text, {"0", "false", "no", "off"})) return ParsedValue{};
  return Status::error("expected 0 or 1");
}

Result<ParsedValue> parse_choice(const OptionRow& row, std::string_view text) {
  std::string_view rest = row.range;
  for (uint64_t place = 0; !rest.empty(); ++place) {
    const std::string_view choice = rest.substr(0, rest.find('|'));
    if (text == choice) return ParsedValue{place, 0};
    rest.remove_prefix(std::min(rest.size(), choice.size() + 1));
  }
  return Status::error("expected one of " + std::string(row.range));
}

}  // namespace

Result<ParsedValue> parse_value(const OptionRow& row, std::string_view text) {
  const Bounds bounds = bounds_of(row.range);
  switch (row.type) {
    case OptionType::Flag:
      return parse_flag(text);
    case OptionType::Number: {
      const std::optional<uint64_t> number = parse_number<uint64_t>(text);
      if (!number || *number < bounds.low || *number > bounds.high)
        return expected(row, "a whole number");
      return ParsedValue{*number, static_cast<double>(*number)};
    }
    case OptionType::Real: {
      const std::optional<double> real = decimal(text);
      if (!real || *real < static_cast<double>(bounds.low) ||
          *real > static_cast<double>(bounds.high)) {
        return expected(row, "a number");
      }
      return ParsedValue{static_cast<uint64_t>(*real), *real};
    }
    case OptionType::Choice:
      return parse_choice(row, text);
    case OptionType::Kinds: {
      const Result<uint32_t> mask = parse_events(text);
      if (!mask.ok()) return Status::error(mask.message());
      return ParsedValue{mask.value(), 0};
    }
    case OptionType::Events: {
      const Result<EventChoice> choice = parse_event_choice(text);
      if (!choice.ok()) return Status::error(choice.message());
      return ParsedValue{choice.value().kinds, static_cast<double>(choice.value().one_in)};
    }
    case OptionType::Text:
      return ParsedValue{};
  }
  return ParsedValue{};
}

}  // namespace lockstep::dumper
