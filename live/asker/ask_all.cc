#include "live/asker/ask_all.h"

#include <pthread.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/clock_ns.h"
#include "base/system.h"
#include "base/thread.h"
#include "live/asker/relay_groups.h"
#include "live/questions/questions.h"

namespace lockstep::live {
namespace {

constexpr size_t kMostAtOnce = 128;
constexpr int kEndPatienceMs = 1'000;  // for a thread that has nothing left to do

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
        parts(taker, how.max_bytes) {
    const auto all_groups = group_targets(targets.hosts, how.flat ? SIZE_MAX : kMostFlat);
    groups.assign(all_groups.begin(), all_groups.end());
  }

  const Targets targets;
  const Question question;
  const AskTerms terms;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::vector<size_t>> groups;                  // of targets.hosts, yet to be asked
  size_t done = 0;                                         // hosts
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

// Parts of a group's hosts, as the agent that asks for us names them.
class PartsOfGroup final : public PartSink {
 public:
  PartsOfGroup(Round* round, const std::vector<size_t>& group) : round_(round), group_(group) {}
  bool put(const std::string& name, std::string_view bytes) override {
    const auto part = parse_relay_part(name, group_.size());
    if (!part) return false;
    began_.insert(group_[part->index]);
    const std::string& host = round_->targets.hosts[group_[part->index]].host;
    return round_->parts.put(host, part->name, bytes);
  }
  bool began(size_t target) const { return began_.count(target) != 0; }

 private:
  Round* round_;
  const std::vector<size_t>& group_;
  std::set<size_t> began_;
};

// All of a group through its first agent, which has three fifths of the time. What it says, or, when it
// fails, its members to be asked one by one; of which those are lost that parts have come of already.
void ask_group(Round* round, const std::vector<size_t>& group) {
  const Target& first = round->targets.hosts[group[0]];
  RelayQuestion relay{round->question, {}};
  for (const size_t i : group) relay.targets.push_back(round->targets.hosts[i]);
  PartsOfGroup sink(round, group);
  const int64_t now = mono_now_ns();
  const auto answer = ask_agent(first.agent, round->targets.key,
                                {{kRelayWord, relay_arguments(relay), round->question.asker},
                                 "",
                                 now + (round->terms.deadline_ns - now) / 5 * 3,
                                 round->terms.max_bytes},
                                &sink);
  auto said = answer.ok() ? parse_relay_rows(answer.value().rows, group.size())
                          : Result<GroupAnswers>(answer.status());
  const std::lock_guard<std::mutex> lock(round->mutex);
  for (size_t i = 0; i < group.size(); ++i) {
    if (!said.ok() && !sink.began(group[i])) {
      round->groups.push_back({group[i]});
      continue;
    }
    round->answers[group[i]] =
        said.ok() ? std::move(said.value()[i])
                  : Status::error("through the agent of " + first.host + ": " + said.message());
    ++round->done;
  }
  round->changed.notify_all();
}

void ask_host(Round* round, size_t i) {
  Result<HostAnswer> answer = ask_one(round, round->targets.hosts[i]);
  const std::lock_guard<std::mutex> lock(round->mutex);
  round->answers[i] = std::move(answer);
  ++round->done;
  round->changed.notify_all();
}

void work(const std::shared_ptr<Round>& round) {
  while (true) {
    std::vector<size_t> group;
    {
      std::unique_lock<std::mutex> lock(round->mutex);
      // A group that fails comes back as its members.
      while (round->groups.empty() && round->done < round->targets.hosts.size() &&
             mono_now_ns() < round->terms.deadline_ns)
        round->changed.wait_for(lock, std::chrono::milliseconds(100));
      if (round->groups.empty()) return;
      group = std::move(round->groups.front());
      round->groups.pop_front();
    }
    if (group.size() == 1) {
      ask_host(round.get(), group[0]);
    } else {
      ask_group(round.get(), group);
    }
  }
}

std::optional<pthread_t> start_worker(const std::shared_ptr<Round>& round) {
  return start_thread("lockstep-ask", [round] { work(round); });
}

// False: not all have answered before the deadline.
bool wait(Round* round) {
  std::unique_lock<std::mutex> lock(round->mutex);
  while (round->done < round->targets.hosts.size()) {
    const int64_t left_ns = round->terms.deadline_ns - mono_now_ns();
    if (left_ns <= 0) return false;
    round->changed.wait_for(lock, std::chrono::nanoseconds(left_ns));
  }
  return true;
}

// How many bytes of parts came.
class CountingTaker final : public PartTaker {
 public:
  explicit CountingTaker(PartTaker* taker) : taker_(taker) {}
  bool take(const std::string& host, const std::string& name, std::string_view bytes) override {
    if (taker_ == nullptr) return false;
    bytes_ += bytes.size();
    return taker_->take(host, name, bytes);
  }
  uint64_t bytes() const { return bytes_; }

 private:
  PartTaker* taker_;
  uint64_t bytes_ = 0;
};

void add_answer(const std::string& host, HostAnswer* answer, Answers* all) {
  ++all->hosts_answered;
  all->bytes += answer->rows.size();
  all->oldest_data_ns = std::max(all->oldest_data_ns, answer->oldest_data_ns);
  for (std::string& reason : answer->failed) all->failed.push_back({host, std::move(reason)});
  all->hosts.push_back({host, std::move(answer->rows)});
}

}  // namespace

GroupAnswers ask_each(const Targets& targets, const Question& question, const AskTerms& terms,
                      PartTaker* taker) {
  const auto round = std::make_shared<Round>(targets, question, terms, taker);
  const size_t threads = std::min(kMostAtOnce, targets.hosts.size());
  std::vector<pthread_t> workers;
  while (workers.size() < threads) {
    const auto worker = start_worker(round);
    if (!worker) break;
    workers.push_back(*worker);
  }
  if (workers.empty()) work(round);
  const bool all_answered = wait(round.get());
  round->parts.close();
  // One that hangs is left behind. One that ends must not do so beside a program that ends, too: what libraries keep
  // for it would go twice.
  for (const pthread_t worker : workers) join_within(worker, all_answered ? kEndPatienceMs : 0);
  GroupAnswers answers;
  const std::lock_guard<std::mutex> lock(round->mutex);
  for (auto& answer : round->answers)
    answers.push_back(answer ? std::move(*answer)
                             : Result<HostAnswer>(Status::error("no answer before the deadline")));
  return answers;
}

Answers ask_all(const Targets& targets, const Question& question, const AskTerms& terms,
                PartTaker* taker) {
  CountingTaker counter(taker);
  GroupAnswers answers = ask_each(targets, question, terms, &counter);
  Answers all;
  all.hosts_asked = targets.hosts.size();
  all.bytes = counter.bytes();
  for (size_t i = 0; i < answers.size(); ++i) {
    const std::string& host = targets.hosts[i].host;
    if (answers[i].ok()) {
      add_answer(host, &answers[i].value(), &all);
    } else {
      all.failed.push_back({host, answers[i].message()});
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
