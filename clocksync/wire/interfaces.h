// Which address of this host the prober uses: the one NCCL's own socket code would choose, because
// that is the one known to reach the other hosts. NCCL_SOCKET_IFNAME is a list of prefixes
// ("eth,ib"), "^" excludes them ("^docker,lo"), "=" asks for exact names ("=eth0", "^=lo");
// NCCL_SOCKET_FAMILY is AF_INET or AF_INET6. Called once when the rendezvous starts; reads no
// environment itself.
#pragma once

#include <string>
#include <vector>

namespace lockstep::clocksync {

enum class Family { Any, V4, V6 };

struct Interface {
  std::string name;
  std::string address;  // numeric
  Family family = Family::V4;
  bool loopback = false;
};

struct InterfaceRules {
  std::string ifname;           // NCCL_SOCKET_IFNAME, empty when not set
  Family family = Family::Any;  // NCCL_SOCKET_FAMILY
};

Family parse_family(const std::string& nccl_socket_family);

// True when the name matches the list in NCCL's syntax.
bool ifname_matches(const std::string& name, const std::string& rule);

// True for a list that names interfaces; one that excludes some says nothing of the rest.
bool ifname_names(const std::string& rule);

// The usable interfaces in NCCL's order of preference. Without a rule: ib* first, then all but
// docker and loopback, then docker, then loopback.
std::vector<Interface> choose_interfaces(const std::vector<Interface>& all,
                                         const InterfaceRules& rules);

// What the kernel has now: interfaces that are up, with an IPv4 or IPv6 address.
std::vector<Interface> system_interfaces();

// True for 127.0.0.0/8 and ::1, given as numbers.
bool is_loopback_address(const std::string& address);

// What the `hello` record says of the network card.
struct NicFacts {
  // For example "virtio_net".
  std::string driver;
  // hardware, software, receive only, none or unknown.
  std::string timestamping;
  // For example "rx 8 us adaptive".
  std::string coalescing;
  int mtu = 0;
};
NicFacts nic_facts(const std::string& interface_name);

}  // namespace lockstep::clocksync
