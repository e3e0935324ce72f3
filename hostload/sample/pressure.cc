#include "hostload/sample/pressure.h"

#include "base/text.h"
#include "hostload/sample/kernel_text.h"

namespace lockstep::hostload {
namespace {

constexpr std::string_view kTotal = "total=";

}  // namespace

Pressure read_pressure(std::string_view text) {
  Pressure pressure;
  while (!text.empty()) {
    std::string_view line = take_line(&text);
    const std::string_view which = take_word(&line);
    const size_t total = line.find(kTotal);
    if (total == std::string_view::npos) continue;
    const int64_t ns = scaled(leading_number(line.substr(total + kTotal.size())), kNsOfUs);
    if (which == "some") pressure.some_ns = ns;
    if (which == "full") pressure.full_ns = ns;
  }
  return pressure;
}

}  // namespace lockstep::hostload
