#include "clocksync/rendezvous/rendezvous.h"

#include <time.h>

#include <algorithm>
#include <map>

#include "clocksync/rendezvous/host_list.h"
#include "clocksync/rendezvous/rendezvous_directory.h"
#include "clocksync/rendezvous/rendezvous_list.h"
#include "clocksync/rendezvous/rendezvous_tcp.h"

namespace lockstep::clocksync {
namespace {

constexpr int kTickMs = 100;
// How long a source may fail to find everybody before the next one is tried too.
constexpr int kPatienceTicks = 10'000 / kTickMs;
constexpr int kSearchingTicks = 1000 / kTickMs;
constexpr int kCompleteTicks = 10'000 / kTickMs;

void sleep_ms(int duration_ms) {
  timespec pause{duration_ms / 1000, (duration_ms % 1000) * 1'000'000L};
  nanosleep(&pause, nullptr);
}

bool take_prefix(const std::string& text, const std::string& prefix, std::string* rest) {
  if (text.compare(0, prefix.size(), prefix) != 0) return false;
  *rest = text.substr(prefix.size());
  return true;
}

std::unique_ptr<RendezvousSource> slurm_source(const RendezvousFacts& facts,
                                               const Environment& environment) {
  std::string nodes = environment("SLURM_STEP_NODELIST");
  if (nodes.empty()) nodes = environment("SLURM_JOB_NODELIST");
  const Result<std::vector<std::string>> names = expand_nodelist(nodes);
  if (!names.ok() || names.value().empty() || facts.port == 0) return nullptr;
  std::vector<ListedHost> hosts;
  for (const std::string& name : names.value()) hosts.push_back({name, {name, 0}});
  return list_source(hosts, facts.port, facts.self);
}

RendezvousPlan plan_without_choice(const RendezvousFacts& facts, const Environment& environment) {
  RendezvousPlan plan;
  plan.sources.push_back(directory_source(facts.directory, facts.self));
  const std::string master = master_host(environment);
  if (!master.empty() && facts.port != 0) {
    plan.sources.push_back(tcp_source(master, facts.port, facts.self, facts.secret));
  }
  if (auto slurm = slurm_source(facts, environment)) plan.sources.push_back(std::move(slurm));
  return plan;
}

// What the thread knows while it looks.
struct Search {
  RendezvousPlan plan;
  HostEntry self;
  std::map<uint32_t, HostEntry> known;
  std::map<size_t, std::string> last_complaint;
  size_t active;  // sources in use, from the front
};

// Asks the active sources (all of them, or only those that serve others) and publishes. True: one
// serves.
bool look_around(Search* search, bool all, HostDirectory* directory) {
  bool serving = false;
  for (size_t i = 0; i < std::min(search->active, search->plan.sources.size()); ++i) {
    RendezvousSource& source = *search->plan.sources[i];
    if (!all && !source.serves()) continue;
    const Result<std::vector<HostEntry>> found = source.look();
    serving = serving || source.serves();
    if (!found.ok()) {
      std::string& last = search->last_complaint[i];
      if (found.message() != last) directory->complain(last = found.message());
      continue;
    }
    for (const HostEntry& entry : found.value()) {
      if (entry.id != search->self.id) search->known[entry.id] = entry;
    }
  }
  std::vector<HostEntry> hosts;
  for (const auto& [id, entry] : search->known) hosts.push_back(entry);
  directory->publish(std::move(hosts));
  return serving;
}

}  // namespace

Result<RendezvousPlan> plan_rendezvous(const RendezvousFacts& facts,
                                       const Environment& environment) {
  RendezvousPlan plan;
  std::string rest;
  if (facts.choice.empty()) {
    plan = plan_without_choice(facts, environment);
  } else if (take_prefix(facts.choice, "dir:", &rest)) {
    plan.sources.push_back(directory_source(facts.directory, facts.self));
  } else if (take_prefix(facts.choice, "tcp:", &rest)) {
    const Result<HostPort> at = parse_host_port(rest);
    if (!at.ok() || at.value().port == 0) {
      return Status::error("LOCKSTEP_CLOCK_RENDEZVOUS=" + facts.choice +
                           ": expected tcp:HOST:PORT");
    }
    plan.sources.push_back(tcp_source(at.value().host, at.value().port, facts.self, facts.secret));
  } else if (facts.choice == "slurm") {
    if (auto slurm = slurm_source(facts, environment)) plan.sources.push_back(std::move(slurm));
    if (plan.sources.empty()) {
      return Status::error(
          "LOCKSTEP_CLOCK_RENDEZVOUS=slurm needs SLURM_JOB_NODELIST and LOCKSTEP_CLOCK_PORT");
    }
  } else if (take_prefix(facts.choice, "static:", &rest)) {
    const auto hosts = parse_static_list(rest);
    if (!hosts.ok())
      return Status::error("LOCKSTEP_CLOCK_RENDEZVOUS=" + facts.choice + ": " + hosts.message());
    plan.sources.push_back(list_source(hosts.value(), facts.port, facts.self));
  } else if (facts.choice != "none") {
    return Status::error("LOCKSTEP_CLOCK_RENDEZVOUS=" + facts.choice +
                         ": expected dir:PATH, tcp:HOST:PORT, slurm, static:H1,H2 or none");
  }
  plan.expected_hosts = facts.expected_hosts;
  return Result<RendezvousPlan>(std::move(plan));
}

void run_rendezvous(RendezvousPlan plan, const HostEntry& self,
                    const std::shared_ptr<HostDirectory>& directory) {
  Search search{std::move(plan), self, {{self.id, self}}, {}, 1};
  int patience = kPatienceTicks;
  int until_next_look = 0;
  while (!directory->stop.load(std::memory_order_relaxed)) {
    const bool serving = look_around(&search, until_next_look <= 0, directory.get());
    const uint32_t expected = search.plan.expected_hosts;
    const bool complete = expected != 0 && search.known.size() >= expected;
    if (until_next_look <= 0) until_next_look = complete ? kCompleteTicks : kSearchingTicks;
    if (expected != 0 && !complete && --patience <= 0 &&
        search.active < search.plan.sources.size()) {
      ++search.active;
      patience = kPatienceTicks;
      until_next_look = 1;
    }
    sleep_ms(serving ? kTickMs / 2 : kTickMs);
    --until_next_look;
  }
  for (auto& source : search.plan.sources) source->leave();
}

}  // namespace lockstep::clocksync
