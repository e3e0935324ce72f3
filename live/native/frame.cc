#include "live/native/frame.h"

#include <cstdio>

#include "base/text.h"

namespace lockstep::live {

std::string in_words(const Frame& frame) {
  std::string words = frame.function;
  if (words.empty()) {
    char offset[24];
    std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(frame.offset));
    return (frame.module.empty() ? "unknown code" : frame.module) + offset;
  }
  if (!frame.file.empty()) {
    words += " (" + base_name(frame.file);
    if (frame.line != 0) words += ":" + std::to_string(frame.line);
    return words + ")";
  }
  return frame.module.empty() ? words : words + " (" + frame.module + ")";
}

FunctionNumber FunctionTable::number_of(const Frame& frame) {
  const auto number = static_cast<FunctionNumber>(numbers_.size());
  return numbers_.try_emplace({frame.function, frame.module, frame.file}, number).first->second;
}

}  // namespace lockstep::live
