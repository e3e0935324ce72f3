#include "analysis/why/explain.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/follow/followed_run.h"
#include "analysis/hostload/stream_load.h"
#include "analysis/judge/explained.h"
#include "analysis/judge/places.h"
#include "analysis/why/crowded_hosts.h"
#include "analysis/why/lossy_hosts.h"
#include "analysis/why/why_late.h"
#include "analysis/why/why_slow.h"

namespace lockstep::analysis {
namespace {

bool is_late(const Finding& finding) { return finding.kind == FindingKind::Straggler; }

class Explainer {
 public:
  Explainer(const RunTables& run, Judgement* judgement)
      : run_(run), followed_(*judgement->followed), findings_(judgement->findings) {}

  std::vector<std::string> explain(const std::string& directory) {
    find_windows();
    std::vector<LateWindow> all;
    for (const auto& [finding, windows] : windows_)
      all.insert(all.end(), windows.begin(), windows.end());
    LoadSamples samples(run_, all);
    std::vector<std::string> damage = stream_load(directory, run_, &samples);
    samples.finish();
    CrowdedHosts crowded(run_, samples);
    std::vector<Finding> kept;
    for (size_t i = 0; i < findings_.size(); ++i) {
      if (windows_.count(i) == 0 || !is_of_machine(&findings_[i], windows_[i], samples, &crowded))
        kept.push_back(std::move(findings_[i]));
    }
    for (Finding& finding : find_lossy_hosts(run_, samples)) {
      drop_receivers(std::get<PathFacts>(finding.facts).host, &kept);
      if (!is_known(kept, finding)) kept.push_back(std::move(finding));
    }
    kept.erase(std::remove_if(kept.begin(), kept.end(),
                              [&](const Finding& one) {
                                return one.kind == FindingKind::SlowerThanExpected &&
                                       crowded.add_slower(one);
                              }),
               kept.end());
    for (Finding& finding : crowded.findings()) kept.push_back(std::move(finding));
    drop_starved_paths(&kept);
    drop_explained(&kept);
    findings_ = std::move(kept);
    return damage;
  }

 private:
  static bool is_known(const std::vector<Finding>& findings, const Finding& lossy) {
    return std::any_of(findings.begin(), findings.end(), [&](const Finding& one) {
      const auto* path = std::get_if<PathFacts>(&one.facts);
      return path != nullptr && path->host == std::get<PathFacts>(lossy.facts).host;
    });
  }

  // Who receives late from a host whose packets get lost on their way is not to blame.
  void drop_receivers(Text lossy_host, std::vector<Finding>* findings) const {
    const auto receives_from = [&](const Finding& one) {
      const auto* path = std::get_if<PathFacts>(&one.facts);
      if (path == nullptr || path->peer < 0 || path->host == lossy_host) return false;
      const std::vector<Place> peer = places_of(run_, one.communicator, {path->peer});
      return !peer.empty() && run_.processes[peer.front().process].host == lossy_host;
    };
    findings->erase(std::remove_if(findings->begin(), findings->end(), receives_from),
                    findings->end());
  }

  // Who waits for a processor comes late and serves the network late: that is one cause.
  void drop_starved_paths(std::vector<Finding>* findings) const {
    const auto waits = [](const Finding& one) {
      return one.why && one.why->why == Why::NoProcessor;
    };
    std::set<uint32_t> starved;
    for (const Finding& one : *findings) {
      if (!is_late(one) || !waits(one)) continue;
      for (const Place& place : culprits_of(run_, one)) starved.insert(place.process);
    }
    const auto follows = [&](const Finding& one) {
      if (!is_slow_path(one) || !waits(one)) return false;
      const std::vector<Place> places = culprits_of(run_, one);
      return !places.empty() && std::all_of(places.begin(), places.end(), [&](const Place& place) {
        return starved.count(place.process) != 0;
      });
    };
    findings->erase(std::remove_if(findings->begin(), findings->end(), follows), findings->end());
  }

  void find_windows() {
    const OwnSegments& own = followed_.own;
    const Excesses& excesses = followed_.excesses;
    all_.excess_ns.resize(run_.processes.size());
    for (const uint32_t a : own.order) {
      if (own.segments[a].counts)
        all_.excess_ns[own.actors[own.segments[a].actor].process] += excesses.ns[a];
    }
    for (size_t i = 0; i < findings_.size(); ++i) {
      if (is_late(findings_[i])) {
        windows_[i] = late_windows(run_, own, excesses, findings_[i]);
        for (const Place& place : culprits_of(run_, findings_[i]))
          all_.accused.insert(place.process);
      } else if (is_slow_path(findings_[i])) {
        windows_[i];
      }
    }
  }

  // Answers the finding; true where it is the machine's and goes.
  bool is_of_machine(Finding* finding, const std::vector<LateWindow>& windows,
                     const LoadSamples& samples, CrowdedHosts* crowded) {
    if (is_slow_path(*finding)) {
      finding->why = why_slow(run_, *finding, samples);
      return crowded->add_slow_path(*finding);
    }
    const LateAnswer answer = why_late(run_, *finding, windows, all_, samples);
    finding->why = answer.facts;
    // Whether it was its code or the processors cannot be told apart: at worst a matter of chance.
    finding->confidence *= 1 - answer.doubt / 2;
    if (answer.machine) crowded->add(*finding, answer);
    return answer.machine;
  }

  const RunTables& run_;
  const FollowedRun& followed_;
  std::vector<Finding>& findings_;
  std::map<size_t, std::vector<LateWindow>> windows_;  // by finding; of slow paths none
  AllLateness all_;
};

}  // namespace

std::vector<std::string> explain(const std::string& directory, const RunTables& run,
                                 Judgement* judgement) {
  const RunTables& compared = judgement->on_assumed_clocks ? *judgement->on_assumed_clocks : run;
  return Explainer(compared, judgement).explain(directory);
}

}  // namespace lockstep::analysis
