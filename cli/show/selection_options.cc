#include "cli/show/selection_options.h"

#include <time.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number_ranges.h"
#include "cli/show/capture_choice.h"

namespace lockstep::cli {
namespace {

constexpr double kMostSeconds = 1e9;  // thirty years; more is a mistake, and would not fit in ns

struct Unit {
  const char* name;
  double seconds;
};
constexpr Unit kUnits[] = {{"ms", 1e-3}, {"s", 1},    {"m", 60},
                           {"min", 60},  {"h", 3600}, {"d", 86400}};

Result<dumper::Instant> instant(const char* option, const std::string& text) {
  using Since = dumper::Instant::Since;
  if (const auto ns = duration_ns(text)) return dumper::Instant{Since::RunStart, *ns};
  if (const auto ns = utc_ns(text)) return dumper::Instant{Since::Epoch, *ns};
  return Status::error(std::string(option) + " " + text +
                       ": a time since the run's first record, such as 90s, 1.5h or 1h30m, or a "
                       "date in UTC, such as 2026-11-22T13:05:00Z");
}

}  // namespace

std::optional<int64_t> duration_ns(const std::string& text) {
  double sum = 0;
  const char* at = text.c_str();
  if (*at == '\0') return std::nullopt;
  while (*at != '\0') {
    if ((*at < '0' || *at > '9') && *at != '.') return std::nullopt;
    char* end = nullptr;
    const double number = std::strtod(at, &end);
    const size_t letters = std::strspn(end, "abcdefghijklmnopqrstuvwxyz");
    const std::string_view name(end, letters);
    double factor = name.empty() && end[0] == '\0' && at == text.c_str() ? 1 : 0;
    for (const Unit& unit : kUnits) {
      if (name == unit.name) factor = unit.seconds;
    }
    sum += number * factor;
    if (factor == 0 || !(sum < kMostSeconds)) return std::nullopt;
    at = end + letters;
  }
  return static_cast<int64_t>(std::llround(sum * 1e9));
}

std::optional<int64_t> utc_ns(const std::string& text) {
  tm date{};
  const char* end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &date);
  if (end == nullptr) return std::nullopt;
  double fraction = 0;
  if (*end == '.') {
    char* after = nullptr;
    fraction = std::strtod(end, &after);
    end = after;
  }
  if (std::strcmp(end, "Z") != 0) return std::nullopt;
  return int64_t{timegm(&date)} * 1'000'000'000 + std::llround(fraction * 1e9);
}

void SelectionArguments::add_to(base::Command* command, const char* until) {
  const base::Argument since =
      command
          ->option("--from", &from,
                   "Only what happened from then on: a time since the run's first record (90s, "
                   "1h30m), or a date in UTC (2026-11-22T13:05:00Z)")
          .shown_as("TIME");
  const base::Argument end =
      command->option(until, &to, "Only what happened until then, likewise").shown_as("TIME");
  const base::Argument length =
      command->option("--last", &last, "Only the last part of the run, of this length: 60s, 5m")
          .shown_as("TIME")
          .excludes(since);
  command
      ->option("--ranks", &ranks,
               "Only processes whose rank in their first communicator is one of these: 0-3,8")
      .shown_as("LIST");
  command->option("--comm", &comm, "Only this communicator: its name, or its id as 0x...")
      .shown_as("COMM");
  command->option("--capture", &capture, "Only the time of this capture (lockstep captures list)")
      .shown_as("ID")
      .excludes(since)
      .excludes(end)
      .excludes(length);
}

bool SelectionArguments::given() const {
  for (const std::string* text : {&last, &from, &to, &ranks, &comm, &capture}) {
    if (!text->empty()) return true;
  }
  return false;
}

Result<dumper::Selection> SelectionArguments::selection() const {
  dumper::Selection chosen;
  chosen.comm = comm;
  if (!last.empty()) {
    chosen.last_ns = duration_ns(last);
    if (!chosen.last_ns || *chosen.last_ns <= 0)
      return Status::error("--last " + last + ": a length of time, such as 60s, 5m or 1.5h");
  }
  for (const auto& [option, text, value] :
       {std::make_tuple("--from", &from, &chosen.from), std::make_tuple("--to", &to, &chosen.to)}) {
    if (text->empty()) continue;
    const auto time = instant(option, *text);
    if (!time.ok()) return time.status();
    *value = time.value();
  }
  if (!ranks.empty()) {
    auto list = parse_number_ranges(ranks);
    if (!list) return Status::error("--ranks " + ranks + ": numbers and ranges, such as 0-3,8");
    chosen.ranks = std::move(*list);
  }
  return chosen;
}

Status SelectionArguments::take_capture(std::string* directory,
                                        dumper::Selection* selection) const {
  if (capture.empty()) return Status();
  auto part = capture_selection(capture, directory);
  if (!part.ok()) return part.status();
  selection->chosen = std::move(part.value().chosen);
  return Status();
}

}  // namespace lockstep::cli
