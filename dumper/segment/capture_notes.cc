#include "dumper/segment/capture_notes.h"

#include <algorithm>

#include "base/text.h"
#include "lockstep/kind_mask.h"
#include "lockstep/shared_kinds.h"

namespace lockstep::dumper {
namespace {

constexpr const char* kCapture = " capture ";
constexpr const char* kRawNs = ", raw_ns ";
constexpr const char* kRule = ", by ";
constexpr const char* kBy = ", asked for by ";
constexpr const char* kRest = "; recorded from here on: ";

// What stands in `note` behind `from` and before `to`, or the note's end.
std::string between(const std::string& note, const std::string& from, const std::string& to) {
  const size_t at = note.find(from);
  if (at == std::string::npos) return "";
  const size_t begin = at + from.size();
  const size_t end = note.find(to, begin);
  return note.substr(begin, end == std::string::npos ? end : end - begin);
}

std::optional<uint64_t> raw_ns_in(const std::string& note) {
  const size_t at = note.find(kRawNs);
  if (at == std::string::npos) return std::nullopt;
  const std::string rest = note.substr(at + std::string(kRawNs).size());
  return parse_number<uint64_t>(rest.substr(0, rest.find_first_not_of("0123456789")));
}

uint32_t kinds_of(const Counts& kept) {
  const CallCounts counts = kept.by_call();
  uint32_t kinds = 0;
  for (unsigned kind = 0; kind < kKinds; ++kind) {
    if (counts[call_cell(kind, Call::Start)] != 0) kinds |= 1u << kind;
  }
  return kinds;
}

std::string list_of(uint32_t kinds) {
  std::string list;
  for (const std::string& name : kind_names(kinds)) list += (list.empty() ? "" : ", ") + name;
  return list;
}

}  // namespace

std::string capture_start_note(const NotedCapture& capture, const std::string& place) {
  return "capture " + capture.id + " started" + place + kRawNs + std::to_string(capture.start_ns) +
         kRule + capture.rule + kBy + capture.by;
}

std::string capture_stop_note(const NotedCapture& capture, const std::string& place) {
  return "capture " + capture.id + " stopped" + place + kRawNs +
         std::to_string(capture.stop_ns.value_or(0));
}

std::vector<NotedCapture> noted_captures(const std::vector<std::string>& notes) {
  std::vector<NotedCapture> captures;
  for (const std::string& note : notes) {
    const std::string id = between(note, kCapture, " ");
    const auto raw_ns = raw_ns_in(note);
    if (id.empty() || !raw_ns) continue;
    const std::string what = kCapture + id;
    if (note.find(what + " started") != std::string::npos) {
      NotedCapture& capture = captures.emplace_back();
      capture.id = id;
      capture.rule = between(note, kRule, kBy);
      capture.by = between(note, kBy, kRest);
      capture.start_ns = *raw_ns;
    } else if (note.find(what + " stopped") != std::string::npos) {
      const auto begun =
          std::find_if(captures.rbegin(), captures.rend(),
                       [&](const NotedCapture& capture) { return capture.id == id; });
      if (begun != captures.rend() && !begun->stop_ns) begun->stop_ns = raw_ns;
    }
  }
  return captures;
}

uint32_t kinds_by_captures(uint32_t always, const std::vector<std::string>& notes) {
  const bool set = std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find("events set to ") != std::string::npos;
  });
  return set || noted_captures(notes).empty() ? 0 : ~always;
}

std::vector<std::string> sample_sentences(const ProcessFacts& facts, const Counts& kept,
                                          const std::vector<std::string>& notes) {
  std::vector<std::string> sentences;
  const auto always = static_cast<uint32_t>(facts.activation_mask);
  const uint32_t captured = kinds_by_captures(always, notes) & kinds_of(kept);
  if (captured != 0)
    sentences.push_back("Recorded in captures only, so that what rests on them is a sample: " +
                        list_of(captured) + ".");
  for (const OptionFact& option : facts.options) {
    const uint32_t one_in = option.name == "events" ? one_operation_in(option.value) : 1;
    if (one_in == 1) continue;
    sentences.push_back(
        "Recorded of one operation in " + std::to_string(one_in) +
        ", so that what rests on them is a sample: " + list_of(always & kSharedKinds) + ".");
  }
  return sentences;
}

}  // namespace lockstep::dumper
