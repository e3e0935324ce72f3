#include "cli/capture/capture_session.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/say/words.h"
#include "base/clock_ns.h"
#include "base/json.h"
#include "cli/capture/absent_ranks.h"
#include "cli/capture/capture_replies.h"
#include "cli/capture/capture_rules.h"
#include "cli/capture/common_clock.h"
#include "cli/capture/next_step.h"
#include "cli/capture/trigger_watch.h"
#include "live/asker/flush_job.h"

namespace lockstep::cli {
namespace {

constexpr int64_t kBetweenLooksNs = 500'000'000;
constexpr double kLeastArmingS = 0.5;
constexpr int64_t kAheadNs = 2'000'000'000;  // of an instant, until it has been told to everybody
// Between questions on how it goes, which cost each process a line on its socket.
constexpr int64_t kLeastPauseNs = 100'000'000, kLongestPauseNs = 1'000'000'000;

class Session {
 public:
  Session(const CaptureTerms& terms, const live::Targets& targets, const LiveArguments& arguments,
          const Tell& tell, dumper::Capture* capture, live::Answers* answers)
      : terms_(terms),
        targets_(targets),
        arguments_(arguments),
        tell_(tell),
        capture_(*capture),
        answers_(*answers) {}

  Status run() {
    look();
    if (processes_.empty())
      return Status::error(terms_.run + ": no process of it that was asked for records here");
    auto rules = choose_rules();
    if (!rules.ok()) return rules.status();
    capture_.rule = rules_text(rules.value());
    const std::string words = "arm " + capture_.id + " kinds=" + terms_.events +
                              " by=% limit_ms=" + std::to_string(limit_ns() / 1'000'000);
    if (terms_.dry || terms_.verbose) show_requests(rules.value(), words);
    if (terms_.dry) return Status();
    CaptureReplies replies(capture_.id, rules.value());
    const int64_t began_ns = mono_now_ns();
    replies.heard_arming(ask("capture", capture_requests(rules.value(), words)));
    const int64_t armed_ns = mono_now_ns();
    for (const std::string& sentence : replies.refusals()) tell_(sentence);
    tell_(std::to_string(replies.armed()) + " of " + std::to_string(rules.value().size()) +
          " processes armed within " + analysis::duration(armed_ns - began_ns));
    if (replies.armed() == 0 && replies.all_final()) return nobody_armed(replies);
    wait(&replies, armed_ns);
    gather(replies);
    return Status();
  }

 private:
  live::Answers ask(const std::string& word, const std::string& question) const {
    return live::ask_all(targets_, {word, question, live::this_asker()}, live_terms(arguments_),
                         nullptr);
  }

  void keep_chosen(std::vector<ProcessLook>* processes) const {
    const CommChoice choice(*processes);
    processes->erase(std::remove_if(processes->begin(), processes->end(),
                                    [&](const ProcessLook& process) {
                                      return !terms_.scope.has(process, choice);
                                    }),
                     processes->end());
  }

  void look() {
    const int64_t first_ns = mono_now_ns();
    first_ = job_look(all_rows(ask("ps", "{}")));
    pause_ns(kBetweenLooksNs - (mono_now_ns() - first_ns));
    const int64_t second_ns = mono_now_ns();
    answers_ = ask("ps", "{}");
    all_ = job_look(all_rows(answers_));
    look_s_ = static_cast<double>(mono_now_ns() - second_ns) / 1e9;
    between_s_ = static_cast<double>(second_ns - first_ns) / 1e9;
    processes_ = all_;
    keep_chosen(&processes_);
  }

  // Arming asks the same processes as a look does, and less of each.
  double arming_s() const { return kLeastArmingS + 2 * look_s_; }

  int64_t limit_ns() const {
    if (begins_unix_ns_ == 0) return terms_.limit_ns;
    return std::max(terms_.limit_ns,
                    begins_unix_ns_ - real_now_ns() + terms_.duration_ns + kAheadNs);
  }

  Result<Rules> choose_rules() {
    if (terms_.at_unix_ns) return instants(*terms_.at_unix_ns);
    if (terms_.steps) return from_next_step();
    PositionTerms terms;
    terms.count = terms_.operations;
    terms.seconds = static_cast<double>(terms_.duration_ns) / 1e9;
    terms.arming_s = arming_s();
    auto rules = position_rules({first_, processes_, between_s_}, terms);
    if (rules.ok()) return rules;
    if (terms_.operations)
      return Status::error(rules.message() + "; --at TIME begins by the clock instead");
    tell_(rules.message() + "; it begins by the clock");
    return instants(real_now_ns() + kAheadNs + static_cast<int64_t>(arming_s() * 1e9));
  }

  Result<Rules> from_next_step() {
    live::flush_job(targets_, live_terms(arguments_));
    const auto next = next_step(terms_.run, arming_s());
    if (!next.ok()) return next.status();
    return same_rule(processes_,
                     "step:" + std::to_string(next.value()) + ":" + std::to_string(*terms_.steps));
  }

  Rules instants(int64_t unix_ns) {
    begins_unix_ns_ = unix_ns;
    std::map<std::string, int64_t> offsets;
    json::Document rows;
    parse_json_list(all_rows(ask("capture_status", capture_request("status"))), &rows);
    for (const json::Value& row : rows.GetArray()) {
      if (const auto offset = known_int(row, "real_offset_ns"))
        offsets[text_member(row, "host")] = *offset;
    }
    std::map<std::string, std::string> by_host;
    for (const auto& [host, wall_ns] : CommonClock(terms_.run).wall_of_hosts(unix_ns, offsets))
      by_host[host] =
          "instant:" + std::to_string(wall_ns) + ":" + std::to_string(terms_.duration_ns);
    return rules_by_host(processes_, by_host);
  }

  void show_requests(const Rules& rules, const std::string& words) const {
    for (const auto& [process, rule] : rules) {
      std::string request = words;
      request.replace(request.find('%'), 1, rule);
      tell_(process.first + " process " + std::to_string(process.second) + ": capture " + request);
    }
  }

  Status nobody_armed(const CaptureReplies& replies) const {
    std::string sentence = terms_.run + ": nobody is armed, so nothing was captured";
    if (replies.late() != 0) sentence += "; its beginning had passed";
    if (replies.late() != 0 && terms_.at_unix_ns) sentence += ": give a later --at";
    return Status::error(sentence);
  }

  // Nothing is sent that it depends on: these questions only ask how it goes.
  void wait(CaptureReplies* replies, int64_t armed_ns) {
    const int64_t end_ns = armed_ns + limit_ns() + kAheadNs;
    int64_t pause = kLeastPauseNs;
    while (!replies->all_final() && mono_now_ns() < end_ns) {
      pause_ns(pause);
      pause = std::min(pause * 2, kLongestPauseNs);
      replies->heard_status(ask("capture_status", capture_request("status " + capture_.id)));
    }
    if (replies->all_final()) return;
    ask("capture", capture_request("cancel " + capture_.id));
    replies->heard_status(ask("capture_status", capture_request("status " + capture_.id)));
  }

  void gather(const CaptureReplies& replies) {
    for (const live::FailedHost& failed :
         live::flush_job(targets_, live_terms(arguments_)).failed) {
      const bool known = std::any_of(
          answers_.failed.begin(), answers_.failed.end(),
          [&](const auto& one) { return one.host == failed.host && one.reason == failed.reason; });
      if (!known) answers_.failed.push_back(failed);
    }
    replies.fill(all_, &capture_);
    std::set<std::string> heard;
    for (const live::HostRows& host : answers_.hosts) heard.insert(host.host);
    add_absent_ranks(terms_.run, all_, terms_.scope, heard, &capture_);
    CommonClock(terms_.run).measure_spread(&capture_);
  }

  const CaptureTerms& terms_;
  const live::Targets& targets_;
  const LiveArguments& arguments_;
  const Tell& tell_;
  dumper::Capture& capture_;
  live::Answers& answers_;
  std::vector<ProcessLook> first_, all_, processes_;
  double look_s_ = 0, between_s_ = 0;
  int64_t begins_unix_ns_ = 0;  // where it begins by the clock
};

}  // namespace

Status take_capture(const CaptureTerms& terms, const live::Targets& targets,
                    const LiveArguments& arguments, const Tell& tell, dumper::Capture* capture,
                    live::Answers* answers) {
  return Session(terms, targets, arguments, tell, capture, answers).run();
}

}  // namespace lockstep::cli
