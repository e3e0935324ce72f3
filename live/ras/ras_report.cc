#include "live/ras/ras_report.h"

#include <algorithm>
#include <cctype>

#include "base/json.h"
#include "base/text.h"

namespace lockstep::live {
namespace {

constexpr size_t kShownBytes = 60;

int32_t int_in(const json::Value& object, const char* name, int32_t otherwise) {
  const json::Value* value = member(object, name);
  return value != nullptr && value->IsInt() ? value->GetInt() : otherwise;
}

// The objects of a list; none where there is no list.
template <typename Take>
void each_object(const json::Value& object, const char* name, const Take& take) {
  for (const json::Value& one : elements_of(object, name)) {
    if (one.IsObject()) take(one);
  }
}

RasRank rank_in(const json::Value& object) {
  RasRank rank;
  rank.rank = int_in(object, "rank", -1);
  rank.host = text_member(object, "host");
  rank.pid = static_cast<uint32_t>(uint_member(object, "pid"));
  if (const json::Value* status = member(object, "status")) {
    rank.async_error = int_in(*status, "async_error", 0);
    rank.finalize_called = bool_member(*status, "finalize_called");
    rank.destroyed = bool_member(*status, "destroy_flag");
    rank.aborted = bool_member(*status, "abort_flag");
  }
  const json::Value* counts = member(object, "collective_counts");
  if (counts == nullptr || !counts->IsObject()) return rank;
  for (const auto& one : counts->GetObject()) {
    if (one.value.IsUint64()) rank.launched[text_of(one.name)] = one.value.GetUint64();
  }
  return rank;
}

RasMissingRank missing_in(const json::Value& object) {
  RasMissingRank rank;
  rank.rank = int_in(object, "rank", -1);
  rank.host = text_member(object, "host");
  rank.pid = static_cast<uint32_t>(uint_member(object, "pid"));
  if (const json::Value* status = member(object, "status")) {
    rank.unresponsive = bool_member(*status, "unresponsive");
    rank.considered_dead = bool_member(*status, "considered_dead");
  }
  return rank;
}

RasCommunicator communicator_in(const json::Value& object) {
  RasCommunicator comm;
  const std::string hash = text_member(object, "hash");
  const bool prefixed = starts_with(hash, "0x");
  comm.hash =
      parse_number<uint64_t>(std::string_view(hash).substr(prefixed ? 2 : 0), 16).value_or(0);
  comm.size = int_in(object, "size", 0);
  each_object(object, "ranks", [&](const json::Value& one) { comm.ranks.push_back(rank_in(one)); });
  each_object(object, "missing_ranks",
              [&](const json::Value& one) { comm.missing.push_back(missing_in(one)); });
  return comm;
}

std::string shown(std::string_view text) {
  std::string start(text.substr(0, kShownBytes));
  std::replace_if(
      start.begin(), start.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, ' ');
  return start;
}

bool starts_value(char c) {
  return c == '"' || c == '{' || c == '[' || c == '-' ||
         std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// Where the value, or the bracket, that begins at `at` ends.
size_t end_of_token(std::string_view text, size_t at) {
  if (text[at] == '"') {
    for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1u : 0u;
    return std::min(at + 1, text.size());
  }
  if (!starts_value(text[at]) || text[at] == '{' || text[at] == '[') return at + 1;
  while (at < text.size() && (starts_value(text[at]) || text[at] == '.' || text[at] == '+') &&
         text[at] != '"' && text[at] != '{' && text[at] != '[')
    ++at;
  return at;
}

}  // namespace

std::string with_missing_commas(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  bool after_value = false;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      out += c;
      ++at;
      continue;
    }
    if (after_value && starts_value(c)) out += ',';
    const size_t end = end_of_token(text, at);
    after_value = (starts_value(c) && c != '{' && c != '[') || c == '}' || c == ']';
    out.append(text.substr(at, end - at));
    at = end;
  }
  return out;
}

Result<RasReport> parse_ras_report(std::string_view text) {
  json::Document document;
  RasReport report;
  if (!parse_json(text, &document)) {
    const std::string mended = with_missing_commas(text);
    report.repaired = parse_json(mended, &document);
    if (!report.repaired)
      return Status::error("RAS did not answer with JSON but with '" + shown(text) +
                           "': NCCL knows it from 2.28.7 on");
  }
  if (member(document, "communicators") == nullptr)
    return Status::error("RAS answered with JSON that has no communicators: '" + shown(text) + "'");
  report.nccl_version = text_member(document, "nccl_version");
  report.timestamp = text_member(document, "timestamp");
  each_object(document, "communicators", [&](const json::Value& one) {
    report.communicators.push_back(communicator_in(one));
  });
  if (const json::Value* ras = member(document, "ras"))
    report.timeouts = uint_member(*ras, "timeouts_count");
  return report;
}

}  // namespace lockstep::live
