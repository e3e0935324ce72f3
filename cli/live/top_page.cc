#include "cli/live/top_page.h"

#include <algorithm>
#include <cstdio>

#include "analysis/say/words.h"
#include "base/clock_ns.h"
#include "base/json.h"
#include "base/system.h"
#include "cli/live/short_findings.h"
#include "live/asker/answers_json.h"

namespace lockstep::cli {
namespace {

constexpr int64_t kShortWaitNs = 5'000'000'000;  // not worth a line: a step may take that long
constexpr size_t kMostFindings = 5, kMostLines = 16;

std::string key_of(const CommStandings& comm, const RankStanding& rank) {
  return comm.id + "/" + std::to_string(comm.ranks) + "/" + rank.host + "/" +
         std::to_string(rank.pid) + "/" + std::to_string(rank.rank);
}

void append_lines(const std::string& text, std::vector<std::string>* lines) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines->push_back(text.substr(at, end - at));
    at = end + 1;
  }
}

std::string number(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// "8 processes, 12.5 MB in memory (most 30.1 MB), 1.2 GB an hour, lag 0.5 s, 0 calls lost".
std::string recording_line(const std::string& rows) {
  json::Document document;
  if (!parse_json_list(rows, &document)) return "no process answered";
  uint64_t in_use = 0, most = 0, an_hour = 0, lag_ns = 0, lost = 0;
  for (const json::Value& row : document.GetArray()) {
    if (const json::Value* memory = member(row, "memory")) {
      in_use += uint_member(*memory, "in_use_bytes");
      most += uint_member(*memory, "high_water_bytes");
    }
    an_hour += uint_member(row, "bytes_per_hour");
    lag_ns = std::max(lag_ns, uint_member(row, "lag_ns"));
    lost += uint_member(row, "calls_not_recorded");
  }
  return std::to_string(document.Size()) + (document.Size() == 1 ? " process, " : " processes, ") +
         number("%.1f MB", static_cast<double>(in_use) * 1e-6) + " in memory (most " +
         number("%.1f MB", static_cast<double>(most) * 1e-6) + "), " +
         number("%.2f GB", static_cast<double>(an_hour) * 1e-9) + " an hour, lag " +
         analysis::duration(static_cast<int64_t>(lag_ns)) + ", " + std::to_string(lost) +
         " calls not kept";
}

}  // namespace

// "12.0 operations/s, 3.41 GB/s": of the rank that has ended most, which for collectives is every
// rank's.
std::string TopPage::rate_line(const CommStandings& comm, double seconds) const {
  double operations = 0, bytes = 0;
  bool known = false;
  for (const RankStanding& rank : comm.standings) {
    const auto found = before_.find(key_of(comm, rank));
    if (found == before_.end() || rank.ended_operations < found->second.operations) continue;
    known = true;
    operations =
        std::max(operations, static_cast<double>(rank.ended_operations - found->second.operations));
    bytes = std::max(bytes, static_cast<double>(rank.ended_bytes - found->second.bytes));
  }
  if (!known || seconds <= 0) return {};
  return ": " + number("%.1f operations/s a rank, ", operations / seconds) +
         number("%.3g GB/s a rank", bytes / seconds * 1e-9);
}

std::vector<std::string> TopPage::lines(const TopLook& look) {
  const auto comms = standings_of(all_rows(look.progress));
  const double seconds =
      before_ns_ == 0 ? 0 : static_cast<double>(look.mono_ns - before_ns_) * 1e-9;
  std::vector<std::string> lines;
  lines.push_back("lockstep top " + run_ + "   " + utc_text("%H:%M:%S UTC", real_now_ns()) + "   " +
                  std::to_string(look.progress.hosts_answered) + " of " +
                  std::to_string(look.progress.hosts_asked) + " hosts   q quits, arrows scroll");
  lines.push_back(recording_line(all_rows(look.processes)));
  for (const live::FailedHost& failed : look.progress.failed)
    lines.push_back("host " + failed.host + ": " + failed.reason);
  std::vector<std::string> findings = short_findings(comms, kShortWaitNs);
  if (findings.size() > kMostFindings) findings.resize(kMostFindings);
  lines.insert(lines.end(), findings.begin(), findings.end());
  EndedBy now;
  for (const CommStandings& comm : comms) {
    lines.emplace_back();
    std::vector<std::string> table;
    append_lines(standings_text({comm}, kMostLines), &table);
    if (!table.empty()) table[0] += rate_line(comm, seconds);
    lines.insert(lines.end(), table.begin(), table.end());
    for (const RankStanding& rank : comm.standings)
      now[key_of(comm, rank)] = {rank.ended_operations, rank.ended_bytes};
  }
  if (comms.empty()) lines.push_back("No communicator is open now.");
  before_ = std::move(now);
  before_ns_ = look.mono_ns;
  return lines;
}

}  // namespace lockstep::cli
