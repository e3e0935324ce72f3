#include "test/drivers/common/line_parser.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace lockstep::driver {
namespace {

constexpr std::pair<std::string_view, abi::State> kStates[] = {
    {"SendGPUWait", abi::kProxyStepSendGpuWait},
    {"SendPeerWait", abi::kProxyStepSendPeerWait},
    {"SendWait", abi::kProxyStepSendWait},
    {"RecvWait", abi::kProxyStepRecvWait},
    {"RecvFlushWait", abi::kProxyStepRecvFlushWait},
    {"RecvGPUWait", abi::kProxyStepRecvGpuWait},
    {"CtrlIdle", abi::kProxyCtrlIdle},
    {"CtrlActive", abi::kProxyCtrlActive},
    {"CtrlSleep", abi::kProxyCtrlSleep},
    {"CtrlWakeup", abi::kProxyCtrlWakeup},
    {"CtrlAppend", abi::kProxyCtrlAppend},
    {"CtrlAppendEnd", abi::kProxyCtrlAppendEnd},
    {"ProxyOpInProgress", abi::kProxyOpInProgress},
    {"NetPluginUpdate", abi::kNetPluginUpdate},
    {"KernelChStop", abi::kKernelChStop},
    {"GroupStartApiStop", abi::kGroupStartApiStop},
    {"GroupEndApiStart", abi::kGroupEndApiStart},
};

// What the recorder prints for a communicator without a name.
constexpr std::string_view kNoName = "(null)";

std::string_view next_word(std::string_view* rest) {
  const size_t begin = std::min(rest->find_first_not_of(' '), rest->size());
  rest->remove_prefix(begin);
  const size_t end = std::min(rest->find(' '), rest->size());
  const std::string_view word = rest->substr(0, end);
  rest->remove_prefix(end);
  return word;
}

bool take_prefix(std::string_view prefix, std::string_view* text) {
  if (text->substr(0, prefix.size()) != prefix) return false;
  text->remove_prefix(prefix.size());
  return true;
}

// "Coll#7" or "-": only the number matters, the kind is the parent's own business.
bool parse_event_reference(std::string_view text, uint32_t* number) {
  if (text == "-") return true;
  const size_t hash = text.find('#');
  return hash != std::string_view::npos && parse_number(text.substr(hash + 1), number);
}

bool parse_kind(std::string_view text, Kind* kind) {
  for (unsigned i = 0; i < kKinds; ++i) {
    if (text == kKindNames[i]) *kind = static_cast<Kind>(i);
    if (text == kKindNames[i]) return true;
  }
  return false;
}

Status unknown(std::string_view what, std::string_view text) {
  return Status::error("unknown " + std::string(what) + " '" + std::string(text) + "'");
}

}  // namespace

const char* LineParser::keep(std::string_view text) {
  const auto found = kept_.find(text);
  if (found != kept_.end()) return found->second;
  log_->strings.emplace_back(text);
  return kept_.emplace(log_->strings.back(), log_->strings.back().c_str()).first->second;
}

Result<LogLine> LineParser::parse(std::string_view rest) {
  LogLine line{};
  uint64_t index = 0;
  if (!parse_number(next_word(&rest), &index))
    return Status::error("expected a call's index first");
  const std::string time(next_word(&rest));
  char* end = nullptr;
  const double time_us = strtod(time.c_str(), &end);
  if (std::string_view(end) != "us" || !(time_us >= 0 && time_us < 1e12)) {
    return Status::error("expected a time such as 12.345us after the index");
  }
  line.time_ns = static_cast<int64_t>(std::llround(time_us * 1000));
  for (auto step : {&LineParser::parse_thread, &LineParser::parse_call}) {
    const Status status = (this->*step)(&rest, &line);
    if (!status.ok()) return status;
  }
  Status status;
  if (line.call == LoggedCall::Init) status = parse_init(rest, &line);
  if (line.call == LoggedCall::Start) status = parse_start(rest, &line);
  if (line.call == LoggedCall::Record) status = parse_state(rest, &line);
  if (!status.ok()) return status;
  return line;
}

Status LineParser::parse_thread(std::string_view* rest, LogLine* line) {
  rest->remove_prefix(std::min(rest->find_first_not_of(' '), rest->size()));
  const size_t open = rest->find('(');
  const size_t close = rest->find(')');
  int32_t tid = 0;
  if (!take_prefix("tid=", rest) || close == std::string_view::npos || open > close ||
      !parse_number(rest->substr(0, open - 4), &tid)) {
    return Status::error("expected tid=NUMBER(NAME) after the time");
  }
  std::string_view name = rest->substr(open - 3, close - open - 1);
  rest->remove_prefix(close - 3);
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  const auto [found, added] =
      thread_of_tid_.emplace(tid, static_cast<uint32_t>(log_->threads.size()));
  if (added) log_->threads.push_back({tid, std::string(name)});
  line->thread = found->second;
  return log_->threads.size() <= 1024 ? Status()
                                      : Status::error("more than 1024 threads in one log");
}

Status LineParser::parse_call(std::string_view* rest, LogLine* line) {
  const std::string_view call = next_word(rest);
  if (call == "init")
    line->call = LoggedCall::Init;
  else if (call == "finalize")
    line->call = LoggedCall::Finalize;
  else if (call == "start")
    line->call = LoggedCall::Start;
  else if (call == "record")
    line->call = LoggedCall::Record;
  else if (call == "stop")
    line->call = LoggedCall::Stop;
  else
    return unknown("call", call);

  const std::string_view kind = next_word(rest);
  const bool names_event = line->call >= LoggedCall::Start;
  if (names_event && !parse_kind(kind, &line->kind)) return unknown("event kind", kind);
  std::string_view event = next_word(rest);
  if (!take_prefix("#", &event) || !parse_number(event, &line->event))
    return unknown("event number", event);
  std::string_view parent = next_word(rest);
  if (!take_prefix("parent=", &parent) || !parse_event_reference(parent, &line->parent)) {
    return unknown("parent", parent);
  }
  std::string_view context = next_word(rest);
  if (!take_prefix("ctx=", &context) || !parse_number(context, &line->context))
    return unknown("context", context);
  const bool is_operation = line->kind == Kind::Coll || line->kind == Kind::P2p;
  if (is_operation && line->call == LoggedCall::Start && parent.substr(0, 6) == "Group#")
    log_->table = 4;
  return Status();
}

Status LineParser::parse_init(std::string_view rest, LogLine* line) {
  CommFacts comm{};
  for (std::string_view word = next_word(&rest); !word.empty(); word = next_word(&rest)) {
    bool ok = true;
    if (take_prefix("name=", &word))
      comm.name = word == kNoName ? "" : word;
    else if (take_prefix("hash=", &word))
      ok = parse_number("0x" + std::string(word), &comm.id);
    else if (take_prefix("nodes=", &word))
      ok = parse_number(word, &comm.nodes);
    else if (take_prefix("ranks=", &word))
      ok = parse_number(word, &comm.ranks);
    else if (take_prefix("rank=", &word))
      ok = parse_number(word, &comm.rank);
    else
      ok = false;
    if (!ok) return unknown("argument of init", word);
  }
  line->detail = static_cast<uint32_t>(log_->comms.size());
  log_->comms.push_back(std::move(comm));
  return Status();
}

Status LineParser::parse_start(std::string_view rest, LogLine* line) {
  abi::v7::EventDescr event{};
  for (std::string_view word = next_word(&rest); !word.empty(); word = next_word(&rest)) {
    const size_t equals = word.find('=');
    const Status status =
        equals == std::string_view::npos
            ? set_word(word, line->kind, &event)
            : set_argument(word.substr(0, equals), word.substr(equals + 1), line, &event);
    if (!status.ok()) return status;
  }
  line->detail = static_cast<uint32_t>(log_->events.size());
  log_->events.push_back(event);
  return Status();
}

Status LineParser::parse_state(std::string_view rest, LogLine* line) {
  const std::string_view name = next_word(&rest);
  const auto* found = std::find_if(std::begin(kStates), std::end(kStates),
                                   [&](auto& s) { return s.first == name; });
  if (found == std::end(kStates)) return unknown("state", name);
  line->state = found->second;
  line->has_args = line->kind != Kind::GroupApi;
  std::string_view word = next_word(&rest);
  bool ok = true;
  if (take_prefix("transSize=", &word))
    ok = parse_number(word, &line->args.trans_size);
  else if (take_prefix("appended=", &word))
    ok = parse_number(word, &line->args.appended_proxy_ops);
  else if (take_prefix("pTimer=", &word))
    ok = parse_number(word, &line->args.p_timer);
  else
    ok = word.empty();
  return ok ? Status() : unknown("state argument", word);
}

}  // namespace lockstep::driver
