#include "clocksync/probe/local_leader.h"

#include <unistd.h>

namespace lockstep::clocksync {
namespace {

std::string name_of(const std::string& job, const std::string& host, const HostFacts& facts) {
  const uint64_t hash =
      name_hash(job + "\n" + host + "\n" + facts.boot_id + "\n" + facts.clock_namespace);
  return "lockstep-clock/" + std::to_string(geteuid()) + "/" + std::to_string(hash);
}

}  // namespace

LocalLeader::LocalLeader(const std::string& job, const std::string& host, const HostFacts& facts)
    : lock_(name_of(job, host, facts)) {}

}  // namespace lockstep::clocksync
