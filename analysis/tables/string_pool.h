// Texts by number, so that a row of a table costs four bytes per text. Number 0 is the empty text,
// which stands for "not known" in every table. Filled by one thread at a time (the loader merges
// per-process pools); read by any.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace lockstep::analysis {

using Text = uint32_t;

class StringPool {
 public:
  StringPool() { intern({}); }
  // The same texts have the same numbers; numbers_ points into texts_ of its own.
  StringPool(const StringPool& other) {
    for (const std::string& text : other.texts_) intern(text);
  }
  StringPool& operator=(const StringPool&) = delete;

  Text intern(std::string_view text) {
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<Text>(texts_.size());
    texts_.emplace_back(text);
    numbers_.emplace(texts_.back(), number);
    return number;
  }
  // Of a text that was interned before; 0 otherwise.
  Text find(std::string_view text) const {
    const auto found = numbers_.find(text);
    return found == numbers_.end() ? 0 : found->second;
  }
  const std::string& text(Text number) const { return texts_[number < texts_.size() ? number : 0]; }
  size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // addresses stay
  std::unordered_map<std::string_view, Text> numbers_;
};

}  // namespace lockstep::analysis
