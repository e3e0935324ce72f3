#include "hostload/sample/kernel_text.h"

#include <algorithm>
#include <limits>

namespace lockstep::hostload {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

std::string_view take_line(std::string_view* text) {
  const size_t end = std::min(text->find('\n'), text->size());
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return line;
}

std::string_view take_word(std::string_view* line) {
  while (!line->empty() && is_blank(line->front())) line->remove_prefix(1);
  size_t end = 0;
  while (end < line->size() && !is_blank((*line)[end]) && (*line)[end] != '\n') ++end;
  const std::string_view word = line->substr(0, end);
  line->remove_prefix(end);
  return word;
}

int64_t leading_number(std::string_view word) {
  if (word.empty() || !is_digit(word.front())) return kNotSampled;
  int64_t number = 0;
  for (const char c : word) {
    if (!is_digit(c)) break;
    const int64_t digit = c - '0';
    if (number > (kMost - digit) / 10) return kMost;
    number = number * 10 + digit;
  }
  return number;
}

int64_t number_after(std::string_view text, std::string_view word) {
  while (!text.empty()) {
    std::string_view line = take_line(&text);
    if (take_word(&line) == word) return take_number(&line);
  }
  return kNotSampled;
}

int64_t scaled(int64_t value, int64_t unit) {
  if (value < 0) return kNotSampled;
  return value > kMost / unit ? kMost : value * unit;
}

int64_t thousandths(std::string_view word) {
  const int64_t whole = leading_number(word);
  if (whole == kNotSampled) return kNotSampled;
  int64_t fraction = 0, unit = 100;
  const size_t point = word.find('.');
  for (size_t i = point; i != std::string_view::npos && ++i < word.size() && is_digit(word[i]);) {
    fraction += (word[i] - '0') * unit;
    unit /= 10;
  }
  return whole > kMost / 1000 - 1 ? kMost : whole * 1000 + fraction;
}

int64_t count_of_list(std::string_view list) {
  int64_t count = 0;
  while (!list.empty() && is_digit(list.front())) {
    const std::string_view range = list.substr(0, list.find(','));
    const size_t dash = range.find('-');
    const int64_t first = leading_number(range);
    const int64_t last =
        dash == std::string_view::npos ? first : leading_number(range.substr(dash + 1));
    if (last < first || last - first >= kMost - count) return kNotSampled;
    count += last - first + 1;
    list.remove_prefix(std::min(range.size() + 1, list.size()));
  }
  return count == 0 ? kNotSampled : count;
}

}  // namespace lockstep::hostload
