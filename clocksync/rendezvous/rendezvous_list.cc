#include "clocksync/rendezvous/rendezvous_list.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <map>

#include "clocksync/rendezvous/host_list.h"
#include "clocksync/wire/packet_auth.h"

namespace lockstep::clocksync {
namespace {

// The numeric address of a name in one family, empty when the name server knows none.
std::string resolve(const std::string& name, int family) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(name.c_str(), nullptr, &hints, &found) != 0) return "";
  char text[NI_MAXHOST] = "";
  getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  freeaddrinfo(found);
  return text;
}

class ListSource final : public RendezvousSource {
 public:
  ListSource(std::vector<ListedHost> listed, uint16_t default_port, HostEntry self)
      : listed_(std::move(listed)), default_port_(default_port), self_(std::move(self)) {}

  Result<std::vector<HostEntry>> look() override {
    const int family = self_.address.find(':') == std::string::npos ? AF_INET : AF_INET6;
    std::vector<HostEntry> hosts;
    std::string missing;
    for (const ListedHost& host : listed_) {
      const Result<HostEntry> entry = entry_of(host, family);
      if (!entry.ok()) return entry.status();
      if (entry.value().address.empty()) {
        missing += " " + entry.value().name;
      } else {
        hosts.push_back(entry.value());
      }
    }
    if (!missing.empty() && hosts.empty()) {
      return Status::error("no host of the list has an address:" + missing);
    }
    return hosts;
  }

 private:
  Result<HostEntry> entry_of(const ListedHost& host, int family) {
    if (host.name == self_.name) return self_;
    HostEntry entry;
    entry.name = host.name;
    entry.id = host_id_of(entry.name);
    entry.port = host.at.port == 0 ? default_port_ : host.at.port;
    if (entry.port == 0) {
      return Status::error("host list: \"" + host.name + "\" has no port; set LOCKSTEP_CLOCK_PORT");
    }
    std::string& address = resolved_[host.at.host];
    if (address.empty()) address = resolve(host.at.host, family);
    entry.address = address;
    return entry;
  }

  const std::vector<ListedHost> listed_;
  const uint16_t default_port_;
  const HostEntry self_;
  std::map<std::string, std::string> resolved_;
};

}  // namespace

ListedSelf find_self(const std::vector<ListedHost>& hosts, const std::string& host_name) {
  for (const ListedHost& host : hosts) {
    if (host.name != host_name) continue;
    // Only a numeric address is taken as it is; a name is this host's own business.
    in6_addr unused;
    const char* text = host.at.host.c_str();
    const bool numeric =
        inet_pton(AF_INET, text, &unused) == 1 || inet_pton(AF_INET6, text, &unused) == 1;
    return {true, numeric ? host.at.host : "", host.at.port};
  }
  return {};
}

std::unique_ptr<RendezvousSource> list_source(const std::vector<ListedHost>& hosts,
                                              uint16_t default_port, const HostEntry& self) {
  return std::make_unique<ListSource>(hosts, default_port, self);
}

}  // namespace lockstep::clocksync
