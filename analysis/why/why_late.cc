#include "analysis/why/why_late.h"

#include <algorithm>
#include <map>

#include "analysis/judge/places.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// Of the lateness, what a cause must cover,
constexpr double kExplains = 0.5;
// and how much of it must have been sampled.
constexpr double kLeastSampled = 0.25;
// Samples without lateness that tell what a thread usually waits.
constexpr size_t kFewestUsual = 5;
// Waiting is all there is to the lateness where it covers so much of it, in the very samples; or so much
// as the others of its host show: of 23 healthy ranks that were late beside busy loops 22 had more (0.78
// at least), of 29 that were late by their own code as well 24 had less (0.72 at most).
constexpr double kIsAll = 0.95, kIsAllBesideOthers = 0.75;
// A rank waits like the others when the middle one of them waits so much of what it does.
constexpr double kAlike = 0.5;

const Span* span_at(const WaitSpans& spans, int64_t at_ns) {
  const auto found = std::partition_point(spans.begin(), spans.end(),
                                          [&](const Span& one) { return one.to_ns < at_ns; });
  return found != spans.end() && found->from_ns <= at_ns ? &*found : nullptr;
}

// Whether one of `many`, which are in the order of time and apart, lies partly inside `one`.
template <class One, class Many>
bool meets_any(const One& one, const std::vector<Many>& many) {
  const auto found = std::partition_point(
      many.begin(), many.end(), [&](const Many& other) { return other.to_ns <= one.from_ns; });
  return found != many.end() && found->from_ns < one.to_ns;
}

class WhyLate {
 public:
  WhyLate(const RunTables& run, const Finding& finding, const std::vector<LateWindow>& windows,
          const AllLateness& all, const LoadSamples& samples)
      : run_(run), finding_(finding), windows_(windows), all_(all), samples_(samples) {
    for (const LateWindow& window : windows) by_process_[window.process].push_back(window);
    for (const Place& place : culprits_of(run, finding)) culprits_.insert(place.process);
  }

  LateAnswer answer() {
    measure_waits();
    const bool sampled =
        late_ns_ > 0 &&
        static_cast<double>(late_ns_) >= kLeastSampled * static_cast<double>(excess_of(windows_));
    if (sampled) {
      // A thread that is throttled could run and does not: the kernel counts that as waiting, too.
      if (explains(wait_ns_, late_ns_))
        add(Why::Throttled, worst(WhySeen::What::CgroupThrottled, samples_.throttled));
      judge_crowd();
      out_.machine = is_machine();
      add(Why::NoProcessor, waited(out_.machine ? wait_ns_ : own_wait_ns_));
      add(Why::MemoryPressure, worst(WhySeen::What::MemoryStall, samples_.memory));
      add(Why::MemoryPressure, at_memory_limit());
    }
    add_gpus();
    add(Why::PrecededBy, new_communicators());
    add(Why::PrecededBy, period());
    out_.wait_ns = wait_ns_;
    out_.late_ns = late_ns_;
    const bool held = !decided_ && data_may_be_late(finding_);
    if (!decided_ && !held && sampled) out_.facts.why = Why::OwnCode;
    if (held) out_.doubt = 1;
    if (sampled) note_wait();
    if (sampled && !out_.machine && explains(caller_wait_ns_, late_ns_) && is_crowded() &&
        (out_.facts.why == Why::OwnCode || (out_.facts.why == Why::NoProcessor && may_use_all())))
      out_.doubt = waited_share();
    return std::move(out_);
  }

 private:
  static bool explains(int64_t amount, int64_t of) {
    return of > 0 && static_cast<double>(amount) >= kExplains * static_cast<double>(of);
  }
  // The first that explains enough is the answer.
  void add(Why why, const WhySeen& seen) {
    if (decided_ || !explains(seen.amount, seen.of)) return;
    decided_ = true;
    out_.facts.why = why;
    out_.facts.seen.push_back(seen);
  }
  WhySeen waited(int64_t amount_ns) const {
    WhySeen seen;
    seen.what = WhySeen::What::ProcessorWait;
    seen.amount = amount_ns;
    seen.of = late_ns_;
    seen.others = wait_ns_ - amount_ns;
    return seen;
  }
  // Also where it explains nothing: that it was not the processor.
  void note_wait() {
    for (const WhySeen& seen : out_.facts.seen)
      if (seen.what == WhySeen::What::ProcessorWait) return;
    out_.facts.seen.push_back(waited(own_wait_ns_));
  }

  // A thread that calls NCCL may wait for another that does and has no processor.
  void measure_waits() {
    for (const auto& [process, all] : by_process_) {
      const WaitSpans spans = samples_.waits_of(process);
      std::vector<LateWindow> sampled;
      for (const LateWindow& window : all) {
        if (meets_any(window, spans)) sampled.push_back(window);
      }
      sampled_.insert(sampled_.end(), sampled.begin(), sampled.end());
      late_ns_ += excess_of(sampled);
      wait_ns_ += covered_ns(sampled, spans);
      own_wait_ns_ += covered_ns(sampled, beyond_usual(process, sampled, spans));
      std::map<uint32_t, std::vector<LateWindow>> by_caller;
      for (const LateWindow& window : sampled) by_caller[window.tid].push_back(window);
      for (const auto& [tid, windows] : by_caller)
        caller_wait_ns_ += covered_ns(windows, samples_.caller_waits(process, tid));
    }
    std::sort(sampled_.begin(), sampled_.end(),
              [](const LateWindow& a, const LateWindow& b) { return a.from_ns < b.from_ns; });
  }

  // Less what the middle one of the other processes of its host waited at that time; where there are
  // none, less what it waits itself when it is not late.
  WaitSpans beyond_usual(uint32_t process, const std::vector<LateWindow>& late,
                         WaitSpans spans) const {
    std::vector<WaitSpans> others;
    for (uint32_t other = 0; other < run_.processes.size(); ++other) {
      if (run_.processes[other].host != run_.processes[process].host ||
          all_.accused.count(other) != 0)
        continue;
      WaitSpans waits = samples_.waits_of(other);
      if (!waits.empty()) others.push_back(std::move(waits));
    }
    const int64_t usual_ns = others.empty() ? usual_of(late, spans) : 0;
    for (Span& span : spans) {
      std::vector<int64_t> at_that_time;
      for (const WaitSpans& waits : others) {
        const Span* one = span_at(waits, span.from_ns + (span.to_ns - span.from_ns) / 2);
        if (one != nullptr) at_that_time.push_back(one->amount_ns);
      }
      span.amount_ns -= others.empty() ? usual_ns : lower_median(&at_that_time);
    }
    return spans;
  }
  static int64_t usual_of(const std::vector<LateWindow>& late, const WaitSpans& spans) {
    std::vector<int64_t> waits;
    for (const Span& span : spans) {
      if (!meets_any(span, late)) waits.push_back(span.amount_ns);
    }
    return waits.size() < kFewestUsual ? 0 : lower_median(&waits);
  }

  std::set<std::string> hosts() const {
    std::set<std::string> hosts;
    for (const uint32_t process : culprits_) hosts.insert(run_.text(run_.processes[process].host));
    return hosts;
  }
  std::vector<LateWindow> windows_on(const std::string& host) const {
    std::vector<LateWindow> windows;
    for (const LateWindow& window : sampled_) {
      if (run_.text(run_.processes[window.process].host) == host) windows.push_back(window);
    }
    return windows;
  }

  // The cgroup of a host, or the host, in which most of the lateness went that way.
  WhySeen worst(WhySeen::What what,
                const std::map<LoadSamples::NameKey, std::vector<Span>>& spans_by_name) const {
    WhySeen seen;
    seen.what = what;
    seen.of = late_ns_;
    for (const auto& [name, spans] : spans_by_name) {
      if (hosts().count(name.first) == 0) continue;
      const int64_t amount_ns = covered_ns(windows_on(name.first), spans);
      if (amount_ns <= seen.amount) continue;
      seen.amount = amount_ns;
      seen.where = name.second;
    }
    return seen;
  }

  // Pressure is no measure here: the kernel weighs it by how busy the processors are, and groups of version 1
  // have none. So only the group of the accused alone counts.
  WhySeen at_memory_limit() const {
    WhySeen seen;
    seen.what = WhySeen::What::MemoryLimit;
    seen.of = late_ns_;
    for (const auto& [key, spans] : samples_.memory_limit) {
      const auto& [host, cgroup, pid] = key;
      std::vector<LateWindow> own;
      for (const LateWindow& window : windows_on(host)) {
        if (run_.processes[window.process].pid == pid) own.push_back(window);
      }
      const int64_t amount_ns = overlapped_ns(own, spans);
      if (amount_ns <= seen.amount) continue;
      seen.amount = amount_ns;
      seen.where = cgroup;
    }
    return seen;
  }

  // GPUs of the accused, against all others that were sampled.
  void add_gpus() {
    std::set<std::string> own;
    for (const Place& place : culprits_of(run_, finding_)) {
      if (place.gpu != 0) own.insert(run_.text(place.gpu));
    }
    const int64_t late_ns = excess_of(windows_);
    std::map<std::string, int64_t> others_ns;  // by fact: the most of another GPU
    for (const auto& [key, spans] : samples_.gpu_troubles) {
      int64_t& most_ns = others_ns[std::get<2>(key)];
      if (own.count(std::get<1>(key)) == 0)
        most_ns = std::max(most_ns, overlapped_ns(windows_, spans));
    }
    for (const auto& [key, spans] : samples_.gpu_troubles) {
      const auto& [host, gpu, fact] = key;
      if (own.count(gpu) == 0) continue;
      WhySeen seen;
      const bool clock = fact == "throttle_reasons";
      seen.what = clock ? WhySeen::What::GpuThrottled : WhySeen::What::GpuErrors;
      seen.where = clock ? gpu : gpu + " " + fact;
      seen.amount = overlapped_ns(windows_, spans);
      seen.of = late_ns;
      seen.others = others_ns[fact];
      if (!explains(seen.others, seen.amount)) add(clock ? Why::Throttled : Why::GpuErrors, seen);
    }
  }

  WhySeen new_communicators() const {
    WhySeen seen;
    seen.what = WhySeen::What::NewCommunicator;
    seen.of = static_cast<int64_t>(windows_.size());
    std::map<uint32_t, std::set<int64_t>> made_ns;  // by process
    for (const MemberRow& member : run_.members) {
      if (culprits_.count(member.process) != 0 && member.init_ns != kNoTime)
        made_ns[member.process].insert(member.init_ns);
    }
    for (const LateWindow& window : windows_) {
      const std::set<int64_t>& made = made_ns[window.process];
      const auto first = made.lower_bound(window.from_ns);
      seen.amount += first != made.end() && *first < window.to_ns ? 1 : 0;
    }
    return seen;
  }

  WhySeen period() const {
    WhySeen seen;
    seen.what = WhySeen::What::Period;
    const auto* facts = std::get_if<LateFacts>(&finding_.facts);
    if (facts == nullptr || facts->pattern.when != WhenLate::Periodic) return seen;
    seen.amount = seen.of = static_cast<int64_t>(facts->late);
    return seen;
  }

  // On a crowded host all wait a lot, in samples far longer than what they are late by, so that beside
  // some lateness there is nearly always a wait. What the others are late by tells how much of it waiting
  // makes: who waits as they do is late as they are, and what it waits beyond them may all make it late.
  void judge_crowd() {
    if (out_.facts.why == Why::Throttled || !is_crowded() || !may_use_all()) return;
    double by_waiting_ns = 0, excess_ns = 0;
    for (const uint32_t process : culprits_) {
      std::vector<int64_t> waits;
      std::vector<double> late_by_wait;
      for (const uint32_t other : others_of(process)) {
        const int64_t wait_ns = samples_.total_of(other, true).wait_ns;
        waits.push_back(wait_ns);
        late_by_wait.push_back(
            std::min(1.0, static_cast<double>(all_.excess_ns[other]) /
                              static_cast<double>(std::max<int64_t>(1, wait_ns))));
      }
      if (waits.empty()) {
        only_waits_ = explains(own_wait_ns_, late_ns_) || waited_share() >= kIsAll;
        return;
      }
      const int64_t wait_ns = samples_.total_of(process, true).wait_ns;
      const int64_t like_others_ns = std::min(wait_ns, lower_median(&waits));
      by_waiting_ns += lower_median(&late_by_wait) * static_cast<double>(like_others_ns) +
                       static_cast<double>(wait_ns - like_others_ns);
      excess_ns += static_cast<double>(all_.excess_ns[process]);
    }
    const double share = excess_ns > 0 ? std::min(1.0, by_waiting_ns / excess_ns) : 0;
    only_waits_ = share >= kIsAllBesideOthers && explains(caller_wait_ns_, late_ns_);
    own_wait_ns_ = static_cast<int64_t>(share * static_cast<double>(late_ns_));
  }
  // The other processes of its host that were sampled.
  std::vector<uint32_t> others_of(uint32_t process) const {
    std::vector<uint32_t> others;
    for (uint32_t other = 0; other < run_.processes.size(); ++other) {
      if (run_.processes[other].host == run_.processes[process].host &&
          culprits_.count(other) == 0 && samples_.total_of(other, true).sampled_ns != 0)
        others.push_back(other);
    }
    return others;
  }

  // On hosts where more threads want to run than there are processors, or than a quota allows: who may
  // use all processors waits because all are busy, and who is bound to some may be no worse off than
  // the others.
  bool is_machine() const {
    const bool throttled = out_.facts.why == Why::Throttled;
    if (!throttled && !is_crowded()) return false;
    if (!throttled && may_use_all()) return only_waits_;
    const std::set<std::string> all = hosts();
    return explains(caller_wait_ns_, late_ns_) &&
           std::all_of(all.begin(), all.end(),
                       [&](const std::string& host) { return are_alike(host); });
  }
  bool is_crowded() const {
    const std::set<std::string> all = hosts();
    return std::all_of(all.begin(), all.end(), [&](const std::string& host) {
      const auto total = samples_.hosts.find(host);
      return total != samples_.hosts.end() && total->second.is_crowded();
    });
  }
  bool may_use_all() const {
    return std::all_of(culprits_.begin(), culprits_.end(), [&](uint32_t process) {
      const auto host = samples_.hosts.find(run_.text(run_.processes[process].host));
      return host != samples_.hosts.end() &&
             samples_.total_of(process, true).processors_allowed >= host->second.processors;
    });
  }
  // Of what is waited in a sample nobody knows how much fell into its late part: all may have.
  double waited_share() const {
    return static_cast<double>(caller_wait_ns_) / static_cast<double>(late_ns_);
  }
  // The others there waited, and were late, as the accused did. Waiting alone does not make a rank late:
  // it may wait when it has time. Several accused without others are alike, too.
  bool are_alike(const std::string& host) const {
    std::vector<int64_t> own_waits, waits, own_excess, excess;
    for (uint32_t process = 0; process < run_.processes.size(); ++process) {
      if (run_.text(run_.processes[process].host) != host) continue;
      const ThreadTotal total = samples_.total_of(process, true);
      if (total.sampled_ns == 0) continue;
      const bool own = all_.accused.count(process) != 0;
      (own ? own_waits : waits).push_back(share_of_time(total));
      (own ? own_excess : excess).push_back(all_.excess_ns[process]);
    }
    if (waits.empty()) return own_waits.size() > 1;
    return is_alike(std::move(own_waits), std::move(waits)) &&
           is_alike(std::move(own_excess), std::move(excess));
  }
  static bool is_alike(std::vector<int64_t> own, std::vector<int64_t> others) {
    return static_cast<double>(lower_median(&others)) >=
           kAlike * static_cast<double>(lower_median(&own));
  }
  // In millionths.
  static int64_t share_of_time(const ThreadTotal& total) {
    return static_cast<int64_t>(1e6 * static_cast<double>(total.wait_ns) /
                                static_cast<double>(total.sampled_ns));
  }

  const RunTables& run_;
  const Finding& finding_;
  const std::vector<LateWindow>& windows_;
  const AllLateness& all_;
  const LoadSamples& samples_;
  std::set<uint32_t> culprits_;  // processes
  std::map<uint32_t, std::vector<LateWindow>> by_process_;
  std::vector<LateWindow> sampled_;  // in the order of time
  int64_t late_ns_ = 0;              // of the windows that were sampled
  int64_t wait_ns_ = 0;              // of that, what threads of the process waited for a processor,
  int64_t own_wait_ns_ = 0;          // the same beyond what is usual,
  int64_t caller_wait_ns_ = 0;       // and what the threads that call NCCL waited
  bool only_waits_ = false;          // all processors were busy, and that is all
  bool decided_ = false;
  LateAnswer out_;
};

}  // namespace

LateAnswer why_late(const RunTables& run, const Finding& straggler,
                    const std::vector<LateWindow>& windows, const AllLateness& all,
                    const LoadSamples& samples) {
  return WhyLate(run, straggler, windows, all, samples).answer();
}

}  // namespace lockstep::analysis
