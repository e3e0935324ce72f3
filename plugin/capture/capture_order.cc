#include "plugin/capture/capture_order.h"

#include <vector>

#include "base/text.h"
#include "dumper/options/event_mask.h"

namespace lockstep::plugin {
namespace {

constexpr size_t kLongestId = 63;
constexpr int64_t kLongestWindowNs = CaptureOrder::kLongestLimitMs * 1'000'000;

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

bool is_capture_id(const std::string& id) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !id.empty() && id.size() <= kLongestId &&
         id.find_first_not_of(kPlain) == std::string::npos;
}

Status bad_rule(const std::string& rule) {
  return Status::error("'" + rule +
                       "' is none of position:ID:FROM:COUNT, instant:WALL_NS:DURATION_NS and "
                       "step:FROM|next:COUNT");
}

Status parse_position(const std::vector<std::string>& parts, CaptureOrder* order) {
  const bool prefixed = parts[1].compare(0, 2, "0x") == 0;
  const auto comm = parse_number<uint64_t>(prefixed ? parts[1].substr(2) : parts[1], 16);
  const auto from = parse_number<uint64_t>(parts[2]), count = parse_number<uint64_t>(parts[3]);
  if (!comm || !from || !count || *from == 0 || *count == 0 || *count >= CaptureWatch::kUnknown / 2)
    return bad_rule(order->rule_text);
  order->rule = CaptureRule::Position;
  order->comm_id = *comm;
  order->from = *from;
  order->count = *count;
  return Status();
}

Status parse_instant(const std::vector<std::string>& parts, CaptureOrder* order) {
  const auto at = parse_number<int64_t>(parts[1]), lasts = parse_number<int64_t>(parts[2]);
  if (!at || !lasts || *at <= 0 || *lasts <= 0 || *lasts > kLongestWindowNs)
    return bad_rule(order->rule_text);
  order->rule = CaptureRule::Instant;
  order->at_real_ns = *at;
  order->lasts_ns = *lasts;
  return Status();
}

Status parse_steps(const std::vector<std::string>& parts, CaptureOrder* order) {
  const auto from = parts[1] == "next" ? std::optional<uint64_t>(CaptureWatch::kUnknown)
                                       : parse_number<uint64_t>(parts[1]);
  const auto count = parse_number<uint64_t>(parts[2]);
  if (!from || !count || *count == 0) return bad_rule(order->rule_text);
  order->rule = CaptureRule::Step;
  order->from = *from;
  order->count = *count;
  return Status();
}

Status parse_rule(const std::string& rule, CaptureOrder* order) {
  order->rule_text = rule;
  const std::vector<std::string> parts = parts_of(rule, ':');
  if (parts[0] == "position" && parts.size() == 4) return parse_position(parts, order);
  if (parts[0] == "instant" && parts.size() == 3) return parse_instant(parts, order);
  if (parts[0] == "step" && parts.size() == 3) return parse_steps(parts, order);
  return bad_rule(rule);
}

Status parse_setting(const std::string& word, CaptureOrder* order) {
  const size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  if (name == "by") return parse_rule(value, order);
  if (name == "kinds") {
    const Result<uint32_t> kinds = dumper::parse_events(value);
    if (!kinds.ok()) return Status::error(kinds.message());
    order->kinds = kinds.value();
    return Status();
  }
  const auto ms = parse_number<int64_t>(value);
  if (name != "limit_ms" || !ms || *ms < 1 || *ms > CaptureOrder::kLongestLimitMs)
    return Status::error("'" + word +
                         "' is none of kinds=WORDS, by=RULE and limit_ms=1 to limit_ms=600000");
  order->limit_ns = *ms * 1'000'000;
  return Status();
}

}  // namespace

Result<CaptureOrder> parse_capture_order(const std::string& words) {
  const std::vector<std::string> parts = parts_of(words, ' ');
  CaptureOrder order;
  order.id = parts[0];
  if (!is_capture_id(order.id))
    return Status::error("'" + order.id +
                         "' is no id of a capture: up to 63 letters, digits, '-', '_' and '.'");
  for (size_t i = 1; i < parts.size(); ++i) {
    Status status = parse_setting(parts[i], &order);
    if (!status.ok()) return status;
  }
  if (order.kinds == 0 || order.rule == CaptureRule::None)
    return Status::error("a capture is armed with kinds and a rule: capture arm " + order.id +
                         " kinds=step by=position:ID:FROM:COUNT");
  return order;
}

}  // namespace lockstep::plugin
