#include "plugin/process/control_words.h"

#include "base/text.h"

namespace lockstep::plugin {
namespace {

constexpr uint64_t kShortestIntervalUs = 1000, kLongestIntervalUs = 3600000000;
constexpr int64_t kLongestLoanS = 600;

}  // namespace

Result<ControlLine> parse_control_line(const std::string& line) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@-";
  ControlLine asked;
  asked.by = "the control socket";
  std::string request = line;
  if (starts_with(line, "as ")) {
    const size_t end = line.find(' ', 3);
    const std::string who = line.substr(3, end == std::string::npos ? end : end - 3);
    if (end == std::string::npos || who.empty() ||
        who.find_first_not_of(kPlain) != std::string::npos)
      return Status::error("'as' wants a name and then what is asked: as USER@HOST WORDS");
    asked.by = who + " through the control socket";
    request = line.substr(end + 1);
  }
  const size_t blank = request.find(' ');
  asked.word = request.substr(0, blank);
  asked.rest = blank == std::string::npos ? "" : request.substr(blank + 1);
  return asked;
}

Result<dumper::EventChoice> parse_kinds(const std::string& rest) {
  // "none" is no preset: nobody would configure it, but here it means "stop for now".
  return rest == "none" ? Result<dumper::EventChoice>(dumper::EventChoice())
                        : dumper::parse_event_choice(rest);
}

Result<KindLoan> parse_loan(const std::string& rest) {
  const size_t end = rest.find(' ');
  const Result<uint32_t> kinds =
      dumper::parse_events(rest.substr(1, end == std::string::npos ? end : end - 1));
  if (!kinds.ok()) return kinds.status();
  const std::string limit = end == std::string::npos ? "" : rest.substr(end + 1);
  const bool limited = starts_with(limit, "for ") && limit.size() > 5 && limit.back() == 's';
  const auto seconds =
      parse_number<int64_t>(limited ? limit.substr(4, limit.size() - 5) : std::string());
  if (!seconds || *seconds < 1 || *seconds > kLongestLoanS)
    return Status::error(
        "kinds are added for a limited time, 1 to 600 seconds: events +KINDS for 10s");
  return KindLoan{kinds.value(), *seconds};
}

Result<uint64_t> parse_interval_us(const std::string& rest) {
  const auto us = parse_number<uint64_t>(rest);
  if (!us || *us < kShortestIntervalUs || *us > kLongestIntervalUs)
    return Status::error("an interval is 1000 to 3600000000 microseconds");
  return *us;
}

}  // namespace lockstep::plugin
