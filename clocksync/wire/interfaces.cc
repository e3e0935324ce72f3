#include "clocksync/wire/interfaces.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace lockstep::clocksync {
namespace {

std::vector<Interface> of_family(const std::vector<Interface>& all, Family family) {
  std::vector<Interface> chosen;
  for (const Interface& one : all) {
    if (family == Family::Any || one.family == family) chosen.push_back(one);
  }
  return chosen;
}

// NCCL's rounds when nothing is set: the first round that finds an interface wins.
std::vector<Interface> default_order(const std::vector<Interface>& all) {
  const auto keep = [&all](auto predicate) {
    std::vector<Interface> kept;
    std::copy_if(all.begin(), all.end(), std::back_inserter(kept), predicate);
    return kept;
  };
  const auto docker = [](const Interface& i) { return starts_with(i.name, "docker"); };
  const auto bridge = [](const Interface& i) { return starts_with(i.name, "virbr"); };
  std::vector<Interface> chosen =
      keep([](const Interface& i) { return starts_with(i.name, "ib"); });
  if (chosen.empty()) {
    chosen = keep([&](const Interface& i) { return !docker(i) && !bridge(i) && !i.loopback; });
  }
  if (chosen.empty()) chosen = keep([&](const Interface& i) { return docker(i) || bridge(i); });
  if (chosen.empty()) chosen = keep([](const Interface& i) { return i.loopback; });
  return chosen;
}

bool ask(int fd, const std::string& name, void* command) {
  ifreq request{};
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_data = static_cast<char*>(command);
  return ioctl(fd, SIOCETHTOOL, &request) == 0;
}

std::string timestamping_of(int fd, const std::string& name) {
  ethtool_ts_info info{};
  info.cmd = ETHTOOL_GET_TS_INFO;
  if (!ask(fd, name, &info)) return "unknown";
  const auto has = [&info](unsigned bits) { return (info.so_timestamping & bits) == bits; };
  if (has(SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_RX_HARDWARE)) return "hardware";
  if (has(SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_RX_SOFTWARE)) return "software";
  return has(SOF_TIMESTAMPING_RX_SOFTWARE) ? "receive only" : "none";
}

std::string coalescing_of(int fd, const std::string& name) {
  ethtool_coalesce coalesce{};
  coalesce.cmd = ETHTOOL_GCOALESCE;
  if (!ask(fd, name, &coalesce)) return "unknown";
  return "rx " + std::to_string(coalesce.rx_coalesce_usecs) + " us" +
         (coalesce.use_adaptive_rx_coalesce != 0 ? " adaptive" : "");
}

}  // namespace

Family parse_family(const std::string& nccl_socket_family) {
  if (nccl_socket_family == "AF_INET6") return Family::V6;
  return nccl_socket_family == "AF_INET" ? Family::V4 : Family::Any;
}

bool ifname_matches(const std::string& name, const std::string& rule) {
  size_t at = 0;
  const bool exclude = at < rule.size() && rule[at] == '^';
  at += exclude ? 1 : 0;
  const bool exact = at < rule.size() && rule[at] == '=';
  at += exact ? 1 : 0;
  bool found = false;
  while (at < rule.size()) {
    const size_t comma = std::min(rule.find(',', at), rule.size());
    std::string item = rule.substr(at, comma - at);
    item.resize(std::min(item.find(':'), item.size()));  // NCCL allows a port after the name
    found = found || (!item.empty() && (exact ? name == item : starts_with(name, item)));
    at = comma + 1;
  }
  return found != exclude;
}

bool ifname_names(const std::string& rule) { return !rule.empty() && rule[0] != '^'; }

std::vector<Interface> choose_interfaces(const std::vector<Interface>& all,
                                         const InterfaceRules& rules) {
  const std::vector<Interface> usable = of_family(all, rules.family);
  if (rules.ifname.empty()) return default_order(usable);
  std::vector<Interface> chosen;
  for (const Interface& one : usable) {
    if (ifname_matches(one.name, rules.ifname)) chosen.push_back(one);
  }
  return chosen;
}

std::vector<Interface> system_interfaces() {
  std::vector<Interface> found;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return found;
  for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || (at->ifa_flags & IFF_UP) == 0) continue;
    const int family = at->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    if (family == AF_INET6) {
      // A link-local address needs a scope that means nothing on another host.
      const auto* v6 = reinterpret_cast<const sockaddr_in6*>(at->ifa_addr);
      if (IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr)) continue;
    }
    char host[NI_MAXHOST];
    const socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    if (getnameinfo(at->ifa_addr, size, host, sizeof host, nullptr, 0, NI_NUMERICHOST) != 0)
      continue;
    found.push_back({at->ifa_name, host, family == AF_INET ? Family::V4 : Family::V6,
                     (at->ifa_flags & IFF_LOOPBACK) != 0});
  }
  freeifaddrs(list);
  std::stable_sort(found.begin(), found.end(), [](const Interface& a, const Interface& b) {
    return a.family == Family::V4 && b.family == Family::V6;
  });
  return found;
}

bool is_loopback_address(const std::string& address) {
  in6_addr v6;
  if (inet_pton(AF_INET6, address.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  in_addr v4;
  return inet_pton(AF_INET, address.c_str(), &v4) == 1 && (ntohl(v4.s_addr) >> 24) == 127;
}

NicFacts nic_facts(const std::string& interface_name) {
  NicFacts facts;
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return facts;
  ethtool_drvinfo driver{};
  driver.cmd = ETHTOOL_GDRVINFO;
  facts.driver = ask(fd, interface_name, &driver) ? driver.driver : "unknown";
  facts.timestamping = timestamping_of(fd, interface_name);
  facts.coalescing = coalescing_of(fd, interface_name);
  ifreq request{};
  interface_name.copy(request.ifr_name, IFNAMSIZ - 1);
  if (ioctl(fd, SIOCGIFMTU, &request) == 0) facts.mtu = request.ifr_mtu;
  close(fd);
  return facts;
}

}  // namespace lockstep::clocksync
