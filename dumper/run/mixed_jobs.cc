#include "dumper/run/mixed_jobs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace lockstep::dumper {
namespace {

// Of those in ProcessFacts::job, the ones that differ between jobs and never within one.
constexpr const char* kJobNames[] = {"SLURM_JOB_ID", "TORCHELASTIC_RUN_ID", "PMIX_NAMESPACE",
                                     "PBS_JOBID", "LSB_JOBID"};

bool tells_jobs_apart(const JobFact& fact, const ProcessFacts& facts) {
  const bool known = std::any_of(std::begin(kJobNames), std::end(kJobNames),
                                 [&](const char* name) { return fact.name == name; });
  // torchrun's default; and each component of a heterogeneous SLURM job has a number of its own.
  if (!known || fact.value == "none") return false;
  return fact.name != "SLURM_JOB_ID" ||
         std::none_of(facts.job.begin(), facts.job.end(),
                      [](const JobFact& other) { return other.name == "SLURM_HET_GROUP_ID"; });
}

}  // namespace

std::string mixed_jobs(const std::vector<ProcessEntry>& processes) {
  std::map<std::string, std::set<std::string>> jobs;  // values by variable
  for (const ProcessEntry& process : processes) {
    for (const JobFact& fact : process.facts.job) {
      if (tells_jobs_apart(fact, process.facts)) jobs[fact.name].insert(fact.value);
    }
  }
  for (const auto& [variable, values] : jobs) {
    if (values.size() < 2) continue;
    constexpr size_t kMostShown = 8;
    std::string list;
    size_t shown = 0;
    for (const std::string& value : values) {
      if (shown++ == kMostShown) break;
      list += (list.empty() ? "" : ", ") + value;
    }
    return "processes of " + std::to_string(values.size()) + " jobs are mixed here (" + variable +
           " " + list + (values.size() > kMostShown ? ", ..." : "") +
           "); give each job a LOCKSTEP_DIR of its own, for example with %j";
  }
  return {};
}

}  // namespace lockstep::dumper
