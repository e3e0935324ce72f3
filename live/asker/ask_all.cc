#include "live/asker/ask_all.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/clock_ns.h"
#include "base/system.h"
#include "base/thread.h"
#include "live/questions/questions.h"

namespace lockstep::live {
namespace {

constexpr size_t kMostAtOnce = 128;

// All parts of one call on their way to the taker.
class Parts {
 public:
  Parts(PartTaker* taker, uint64_t max_bytes) : taker_(taker), max_bytes_(max_bytes) {}

  bool put(const std::string& host, const std::string& name, std::string_view bytes) {
    if (!is_part_name(name)) return false;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_ || taker_ == nullptr || bytes.size() > max_bytes_ - bytes_) return false;
    bytes_ += bytes.size();
    return taker_->take(host, name, bytes);
  }
  // The taker goes away with the caller; late answers find the door shut.
  void close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
  }
  uint64_t bytes() const { return bytes_; }

 private:
  std::mutex mutex_;
  PartTaker* taker_;
  const uint64_t max_bytes_;
  uint64_t bytes_ = 0;
  bool closed_ = false;
};

class PartsOfHost final : public PartSink {
 public:
  PartsOfHost(Parts* parts, std::string host) : parts_(parts), host_(std::move(host)) {}
  bool put(const std::string& name, std::string_view bytes) override {
    return parts_->put(host_, name, bytes);
  }

 private:
  Parts* parts_;
  std::string host_;
};

// What the asking threads share with the caller, who may leave before the slowest of them.
struct Round {
  Round(Targets all, Question what, const AskTerms& how, PartTaker* taker)
      : targets(std::move(all)),
        question(std::move(what)),
        terms(how),
        answers(targets.hosts.size()),
        parts(taker, how.max_bytes) {}

  const Targets targets;
  const Question question;
  const AskTerms terms;
  std::mutex mutex;
  std::condition_variable changed;
  size_t next = 0, done = 0;                               // of targets.hosts
  std::vector<std::optional<Result<HostAnswer>>> answers;  // as targets.hosts
  Parts parts;
};

// The host's own deadline comes before ours, so that a process that does not answer costs only its
// own row.
int64_t deadline_of_host(int64_t deadline_ns) {
  const int64_t now = mono_now_ns();
  return now + (deadline_ns - now) / 10 * 8;
}

Result<HostAnswer> ask_one(Round* round, const Target& target) {
  PartsOfHost sink(&round->parts, target.host);
  switch (target.way) {
    case Target::Way::Direct:
      return answer_question(
          {target.host, round->targets.runs, deadline_of_host(round->terms.deadline_ns)},
          round->question, &sink);
    case Target::Way::Agent:
      return ask_agent(target.agent, round->targets.key,
                       {round->question, round->targets.runs.empty() ? "" : round->targets.runs[0],
                        round->terms.deadline_ns, round->terms.max_bytes},
                       &sink);
    case Target::Way::Unreachable:
      break;
  }
  return Status::error(target.reason);
}

void work(const std::shared_ptr<Round>& round) {
  std::unique_lock<std::mutex> lock(round->mutex);
  while (round->next < round->targets.hosts.size()) {
    const size_t i = round->next++;
    lock.unlock();
    Result<HostAnswer> answer = ask_one(round.get(), round->targets.hosts[i]);
    lock.lock();
    round->answers[i] = std::move(answer);
    ++round->done;
    round->changed.notify_all();
  }
}

// Detached: one that hangs is left behind.
bool start_worker(const std::shared_ptr<Round>& round) {
  const auto thread = start_thread("lockstep-ask", [round] { work(round); });
  return thread && pthread_detach(*thread) == 0;
}

void wait(Round* round) {
  std::unique_lock<std::mutex> lock(round->mutex);
  while (round->done < round->targets.hosts.size()) {
    const int64_t left_ns = round->terms.deadline_ns - mono_now_ns();
    if (left_ns <= 0) return;
    round->changed.wait_for(lock, std::chrono::nanoseconds(left_ns));
  }
}

void add_answer(const std::string& host, HostAnswer* answer, Answers* all) {
  ++all->hosts_answered;
  all->bytes += answer->rows.size();
  all->oldest_data_ns = std::max(all->oldest_data_ns, answer->oldest_data_ns);
  for (std::string& reason : answer->failed) all->failed.push_back({host, std::move(reason)});
  all->hosts.push_back({host, std::move(answer->rows)});
}

}  // namespace

Answers ask_all(const Targets& targets, const Question& question, const AskTerms& terms,
                PartTaker* taker) {
  const auto round = std::make_shared<Round>(targets, question, terms, taker);
  const size_t threads = std::min(kMostAtOnce, targets.hosts.size());
  size_t started = 0;
  while (started < threads && start_worker(round)) ++started;
  if (started == 0) work(round);
  wait(round.get());
  round->parts.close();
  Answers all;
  const std::lock_guard<std::mutex> lock(round->mutex);
  all.hosts_asked = targets.hosts.size();
  all.bytes = round->parts.bytes();
  for (size_t i = 0; i < targets.hosts.size(); ++i) {
    const std::string& host = targets.hosts[i].host;
    auto& answer = round->answers[i];
    if (!answer) {
      all.failed.push_back({host, "no answer before the deadline"});
    } else if (!answer->ok()) {
      all.failed.push_back({host, answer->message()});
    } else {
      add_answer(host, &answer->value(), &all);
    }
  }
  return all;
}

std::string this_asker() {
  const passwd* const user = getpwuid(geteuid());
  const std::string name = user != nullptr ? user->pw_name : std::to_string(geteuid());
  return name + "@" + this_host();
}

}  // namespace lockstep::live
