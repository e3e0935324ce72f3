// What counts errors on the way of NCCL's sockets: interfaces by /proc/net/dev, TCP by /proc/net/snmp,
// link changes by /sys/class/net. All of the sampler's own network namespace. Pure reading, any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "lockstep/load_record.h"

namespace lockstep::hostload {

// Called with each counter and its value.
using TakeCounter = std::function<void(const LoadCounter& counter, int64_t value)>;

void read_interfaces(std::string_view proc_net_dev, const TakeCounter& take);
void read_tcp(std::string_view proc_net_snmp, const TakeCounter& take);
// All of the above, and how often each interface lost or found its link.
void read_net_counters(const std::string& root, const TakeCounter& take);

}  // namespace lockstep::hostload
