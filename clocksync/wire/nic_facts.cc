#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "clocksync/wire/interfaces.h"

namespace lockstep::clocksync {
namespace {

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
