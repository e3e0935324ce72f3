#include "cli/capture/capture_rules.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/json.h"

namespace lockstep::cli {
namespace {

// Beyond where the first of them is, whatever the rate: a job that stands still may go on any time.
constexpr uint64_t kLeastAhead = 16;

struct CommPace {
  uint64_t first = 0, second = 0;  // the farthest of its members
};

std::map<std::string, CommPace> paces(const Looks& looks) {
  std::map<std::string, CommPace> paces;
  const auto look = [&](const std::vector<ProcessLook>& processes, uint64_t CommPace::*at) {
    for (const ProcessLook& process : processes) {
      for (const MemberLook& member : process.members) {
        uint64_t& farthest = paces[member.comm].*at;
        farthest = std::max(farthest, member.position.value_or(0));
      }
    }
  };
  look(looks.first, &CommPace::first);
  look(looks.second, &CommPace::second);
  return paces;
}

double rate_of(const CommPace& pace, double seconds) {
  if (pace.first == 0 || pace.second <= pace.first || seconds <= 0) return 0;
  return static_cast<double>(pace.second - pace.first) / seconds;
}

bool has_position(const ProcessLook& process, const std::string& comm) {
  return std::any_of(process.members.begin(), process.members.end(), [&](const MemberLook& member) {
    return member.comm == comm && member.position;
  });
}

}  // namespace

Result<Rules> position_rules(const Looks& looks, const PositionTerms& terms) {
  const CommChoice choice(looks.second);
  const auto pace_of = paces(looks);
  Rules rules;
  bool any = false, stands = false;
  for (const ProcessLook& process : looks.second) {
    const std::string comm = choice.of(process);
    if (comm.empty() || !has_position(process, comm)) continue;
    any = true;
    const CommPace& pace = pace_of.at(comm);
    const double rate = rate_of(pace, looks.seconds);
    stands = stands || rate == 0;
    const uint64_t from =
        pace.second + kLeastAhead + static_cast<uint64_t>(std::ceil(rate * terms.arming_s));
    const uint64_t count =
        terms.count.value_or(static_cast<uint64_t>(std::ceil(rate * terms.seconds)));
    rules[{process.host, process.pid}] =
        "position:" + comm + ":" + std::to_string(from) + ":" + std::to_string(count);
  }
  if (!any) return Status::error("no process that answers says how many collectives it has called");
  if (stands && !terms.count)
    return Status::error("no collective was called while the job was watched");
  return rules;
}

Rules same_rule(const std::vector<ProcessLook>& processes, const std::string& rule) {
  Rules rules;
  for (const ProcessLook& process : processes) {
    if (process.answered) rules[{process.host, process.pid}] = rule;
  }
  return rules;
}

Rules rules_by_host(const std::vector<ProcessLook>& processes,
                    const std::map<std::string, std::string>& by_host) {
  Rules rules;
  for (const ProcessLook& process : processes) {
    const auto rule = by_host.find(process.host);
    if (process.answered && rule != by_host.end())
      rules[{process.host, process.pid}] = rule->second;
  }
  return rules;
}

std::string capture_requests(const Rules& rules, const std::string& words) {
  std::map<std::string, std::map<std::string, std::vector<uint32_t>>> by_rule;
  for (const auto& [process, rule] : rules) by_rule[rule][process.first].push_back(process.second);
  JsonFields out;
  out.object([&] {
    out.list("requests", by_rule, [&](const auto& one) {
      out.object([&] {
        std::string request = words;
        request.replace(request.find('%'), 1, one.first);
        out.string("request", request);
        out.object("only", [&] {
          for (const auto& [host, pids] : one.second)
            out.list(host, pids, [&](uint32_t pid) { out.writer().Uint(pid); });
        });
      });
    });
  });
  return std::string(out.text());
}

std::string capture_request(const std::string& words) {
  JsonFields out;
  out.object([&] {
    out.list("requests", std::vector<std::string>{words},
             [&](const std::string& one) { out.object([&] { out.string("request", one); }); });
  });
  return std::string(out.text());
}

std::string rules_text(const Rules& rules) {
  std::set<std::string> known;
  for (const auto& [process, rule] : rules) known.insert(rule);
  std::string text;
  for (const std::string& rule : known) text += (text.empty() ? "" : "; ") + rule;
  return text;
}

}  // namespace lockstep::cli
