// Reading what the kernel prints below /proc and /sys. A text may hold anything, for tests and inside
// containers it does: what is not a number is kNotSampled, what is too large becomes the largest there
// is. Pure functions, any thread, no locale.
#pragma once

#include <cstdint>
#include <string_view>

#include "lockstep/load_record.h"

namespace lockstep::hostload {

// The first line, without its newline, taken off `text`.
std::string_view take_line(std::string_view* text);

// The next word of a line, taken off it with the blanks before; empty at its end.
std::string_view take_word(std::string_view* line);

// The whole number that the word begins with: "4: ACTIVE" is 4. A word without one is kNotSampled.
int64_t leading_number(std::string_view word);

// The next word, as a number.
inline int64_t take_number(std::string_view* line) { return leading_number(take_word(line)); }

// Of the line that begins with this word: the number behind it. `throttled_usec 12` and
// `MemTotal:  5 kB`, whose word is "MemTotal:".
int64_t number_after(std::string_view text, std::string_view word);

// The kernel's unit of most times, in ours.
constexpr int64_t kNsOfUs = 1000;

// A value of the kernel times what a unit is in ours; kNotSampled and the largest stay what they are.
int64_t scaled(int64_t value, int64_t unit);

// "0.20" is 200.
int64_t thousandths(std::string_view word);

// How many numbers a list like "0-3,8" holds.
int64_t count_of_list(std::string_view list);

}  // namespace lockstep::hostload
