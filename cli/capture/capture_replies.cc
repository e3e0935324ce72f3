#include "cli/capture/capture_replies.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace lockstep::cli {
namespace {

using dumper::CaptureState;

// What `status`, or `arm`, says of the capture. One that was cancelled before it began was armed and
// never came to its beginning.
void read_state(const json::Value& answer, CaptureReply* reply) {
  const std::string state = text_member(answer, "state");
  if (const auto start = known_uint(answer, "start_ns")) reply->start_ns = start;
  if (const auto stop = known_uint(answer, "stop_ns")) reply->stop_ns = stop;
  if (const auto position = known_uint(answer, "start_position")) reply->position = position;
  if (state == "armed") reply->state = CaptureState::Armed;
  if (state == "started") reply->state = CaptureState::Started;
  if (state == "stopped") reply->state = CaptureState::Stopped;
  if (state == "late") reply->state = CaptureState::Late;
  if (state == "cancelled")
    reply->state = reply->start_ns ? CaptureState::Stopped : CaptureState::Armed;
  reply->final = state == "stopped" || state == "late" || state == "cancelled";
}

void read_sums(const json::Value& answer, CaptureReply* reply) {
  const auto keep = [&](const char* name, std::string* text) {
    const std::string said = text_member(answer, name);
    if (!said.empty()) *text = said;
  };
  keep("events_before", &reply->events_before);
  keep("events_after", &reply->events_after);
  reply->bytes = uint_member(answer, "bytes");
  reply->cost = {uint_member(answer, "overhead_ns"), uint_member(answer, "records"),
                 uint_member(answer, "calls_not_recorded")};
}

// "position:0x..:4711:16" begins with 4711; `next` is no number.
std::optional<uint64_t> beginning_of(const std::string& rule) {
  if (starts_with(rule, "instant:")) return std::nullopt;
  const size_t end = rule.rfind(':');
  const size_t begin = rule.rfind(':', end - 1) + 1;
  return parse_number<uint64_t>(rule.substr(begin, end - begin));
}

std::string distinct(const std::map<ProcessId, CaptureReply>& replies,
                     std::string CaptureReply::*text) {
  std::set<std::string> known;
  for (const auto& [process, reply] : replies) {
    if (!(reply.*text).empty()) known.insert(reply.*text);
  }
  std::string all;
  for (const std::string& one : known) all += (all.empty() ? "" : " | ") + one;
  return all;
}

}  // namespace

CaptureReplies::CaptureReplies(std::string id, const Rules& asked) : id_(std::move(id)) {
  for (const auto& [process, rule] : asked) replies_[process].position = beginning_of(rule);
}

void CaptureReplies::heard_arming(const live::Answers& answers) { hear(answers, true); }
void CaptureReplies::heard_status(const live::Answers& answers) { hear(answers, false); }

// A row is of the process that it names. A process without one is dead where its host has answered;
// where it has not, and for one that is silent, what was known before stays.
void CaptureReplies::hear(const live::Answers& answers, bool arming) {
  std::set<std::string> hosts;
  std::set<ProcessId> present;
  for (const live::HostRows& host : answers.hosts) {
    hosts.insert(host.host);
    json::Document document;
    if (!parse_json_list(host.rows, &document)) continue;
    for (const json::Value& row : document.GetArray()) {
      const ProcessId id(text_member(row, "host"), static_cast<uint32_t>(uint_member(row, "pid")));
      hosts.insert(id.first);
      present.insert(id);
      const auto found = replies_.find(id);
      if (found == replies_.end() || found->second.final) continue;
      CaptureReply& reply = found->second;
      const json::Value* answer = member(row, "answer");
      const std::string error = answer == nullptr ? "" : text_member(*answer, "error");
      const bool refused =
          !error.empty() || answer == nullptr || text_member(*answer, "capture") != id_;
      if (refused) {
        reply.reason = answer == nullptr ? text_member(row, "reason")
                       : error.empty()   ? "its answer is about another capture"
                                         : "it says: " + error;
        if (arming) reply.final = true;
        continue;
      }
      reply.reason.clear();
      read_state(*answer, &reply);
      if (arming) {
        reply.accepted = reply.state != CaptureState::Late;
      } else {
        read_sums(*answer, &reply);
      }
    }
  }
  for (auto& [id, reply] : replies_) {
    if (reply.final || present.count(id) != 0 || hosts.count(id.first) == 0) continue;
    reply.state = CaptureState::Dead;
    reply.final = true;
  }
  for (auto& [id, reply] : replies_) {
    if (!arming || reply.final || reply.accepted) continue;
    // Its host was not heard. It may be armed all the same, and is asked on.
    reply.reason = "its host did not answer";
  }
}

bool CaptureReplies::all_final() const {
  return std::all_of(replies_.begin(), replies_.end(), [](const auto& one) {
    return one.second.final || (!one.second.accepted && one.second.state == CaptureState::Deaf);
  });
}

size_t CaptureReplies::armed() const {
  return static_cast<size_t>(std::count_if(replies_.begin(), replies_.end(),
                                           [](const auto& one) { return one.second.accepted; }));
}

size_t CaptureReplies::late() const {
  return static_cast<size_t>(std::count_if(replies_.begin(), replies_.end(), [](const auto& one) {
    return one.second.state == CaptureState::Late;
  }));
}

std::vector<std::string> CaptureReplies::refusals() const {
  std::vector<std::string> sentences;
  for (const auto& [id, reply] : replies_) {
    if (!reply.reason.empty())
      sentences.push_back(id.first + " process " + std::to_string(id.second) + ": " + reply.reason);
  }
  return sentences;
}

void CaptureReplies::fill(const std::vector<ProcessLook>& processes,
                          dumper::Capture* capture) const {
  const CommChoice choice(processes);
  for (const auto& [id, reply] : replies_) {
    dumper::CaptureRank rank;
    rank.host = id.first;
    rank.pid = id.second;
    // What was heard before it fell silent is no end.
    const bool silent = !reply.final && !reply.reason.empty();
    rank.state = silent ? CaptureState::Deaf : reply.state;
    rank.position = reply.position;
    rank.start_ns = reply.start_ns;
    rank.stop_ns = reply.stop_ns;
    const auto process = std::find_if(
        processes.begin(), processes.end(),
        [&](const ProcessLook& look) { return look.host == rank.host && look.pid == rank.pid; });
    std::vector<int64_t> numbers;
    if (process != processes.end()) {
      for (const MemberLook* member : choice.members(*process)) numbers.push_back(member->rank);
    }
    if (numbers.empty()) numbers.push_back(-1);
    for (const int64_t number : numbers) {
      rank.rank = number;
      capture->ranks.push_back(rank);
    }
    capture->bytes += reply.bytes;
    capture->cost.overhead_ns += reply.cost.overhead_ns;
    capture->cost.records += reply.cost.records;
    capture->cost.calls_not_recorded += reply.cost.calls_not_recorded;
  }
  capture->events_before = distinct(replies_, &CaptureReply::events_before);
  capture->events_after = distinct(replies_, &CaptureReply::events_after);
  std::stable_sort(capture->ranks.begin(), capture->ranks.end(),
                   [](const auto& a, const auto& b) { return a.rank < b.rank; });
}

}  // namespace lockstep::cli
