#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <map>

#include "clocksync/rendezvous/host_list.h"
#include "clocksync/rendezvous/rendezvous.h"

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

// Hosts that were named beforehand: by hand ("name=address:port" gives a name to an address) or by
// SLURM.
class ListSource final : public RendezvousSource {
 public:
  ListSource(std::vector<std::string> items, uint16_t default_port, HostEntry self)
      : items_(std::move(items)), default_port_(default_port), self_(std::move(self)) {}

  Result<std::vector<HostEntry>> look() override {
    const int family = self_.address.find(':') == std::string::npos ? AF_INET : AF_INET6;
    std::vector<HostEntry> hosts;
    std::string missing;
    for (const std::string& item : items_) {
      const Result<HostEntry> entry = entry_of(item, family);
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
  Result<HostEntry> entry_of(const std::string& item, int family) {
    const size_t equals = item.find('=');
    Result<HostPort> parsed =
        parse_host_port(equals == std::string::npos ? item : item.substr(equals + 1));
    if (!parsed.ok()) return parsed.status();
    HostEntry entry;
    entry.name = equals == std::string::npos ? parsed.value().host : item.substr(0, equals);
    entry.id = host_id_of(entry.name);
    if (entry.name == self_.name) return self_;
    entry.port = parsed.value().port == 0 ? default_port_ : parsed.value().port;
    if (entry.port == 0) {
      return Status::error("host list: \"" + item + "\" has no port; set LOCKSTEP_CLOCK_PORT");
    }
    std::string& address = resolved_[parsed.value().host];
    if (address.empty()) address = resolve(parsed.value().host, family);
    entry.address = address;
    return entry;
  }

  const std::vector<std::string> items_;
  const uint16_t default_port_;
  const HostEntry self_;
  std::map<std::string, std::string> resolved_;
};

}  // namespace

ListedSelf find_self(const std::string& static_list, const std::string& host_name) {
  ListedSelf self;
  for (size_t at = 0; at <= static_list.size() && !self.found;) {
    const size_t comma = std::min(static_list.find(',', at), static_list.size());
    const std::string item = static_list.substr(at, comma - at);
    at = comma + 1;
    const size_t equals = item.find('=');
    const Result<HostPort> parsed =
        parse_host_port(equals == std::string::npos ? item : item.substr(equals + 1));
    if (!parsed.ok()) continue;
    const std::string name =
        equals == std::string::npos ? parsed.value().host : item.substr(0, equals);
    if (name != host_name) continue;
    // Only a numeric address is taken as it is; a name is this host's own business.
    in6_addr unused;
    const char* host = parsed.value().host.c_str();
    const bool numeric =
        inet_pton(AF_INET, host, &unused) == 1 || inet_pton(AF_INET6, host, &unused) == 1;
    self = {true, numeric ? parsed.value().host : "", parsed.value().port};
  }
  return self;
}

std::unique_ptr<RendezvousSource> list_source(const std::vector<std::string>& items,
                                              uint16_t default_port, const HostEntry& self) {
  return std::make_unique<ListSource>(items, default_port, self);
}

}  // namespace lockstep::clocksync
