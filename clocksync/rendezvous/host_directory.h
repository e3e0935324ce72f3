// The hosts of the job as far as this host knows them. The rendezvous thread publishes, the
// prober's thread takes a copy when the version has changed; a mutex is held only for the copy.
// Shared by shared_ptr, because a rendezvous that hangs in a file system or a name server must not
// keep the prober from ending.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace lockstep::clocksync {

// A host probes by so many of its interfaces at most.
inline constexpr size_t kMostInterfaces = 8;

// Where a host is reached by another interface than its first.
struct FurtherAddress {
  std::string interface;
  std::string address;  // numeric
  uint16_t port = 0;

  bool operator==(const FurtherAddress& other) const {
    return interface == other.interface && address == other.address && port == other.port;
  }
};

struct HostEntry {
  std::string name;
  uint32_t id = 0;
  std::string address;  // numeric
  uint16_t port = 0;
  std::string pod;
  std::vector<FurtherAddress> further = {};

  bool operator==(const HostEntry& other) const {
    return id == other.id && name == other.name && address == other.address && port == other.port &&
           pod == other.pod && further == other.further;
  }
};

class HostDirectory {
 public:
  void publish(std::vector<HostEntry> hosts) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (hosts == hosts_) return;
    hosts_ = std::move(hosts);
    version_.fetch_add(1, std::memory_order_release);  // partner: version()
  }
  std::vector<HostEntry> hosts() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return hosts_;
  }
  uint64_t version() const { return version_.load(std::memory_order_acquire); }

  void complain(std::string sentence) {
    const std::lock_guard<std::mutex> lock(mutex_);
    complaints_.push_back(std::move(sentence));
  }
  std::vector<std::string> take_complaints() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::move(complaints_);
  }

  // Set once when the prober ends; the rendezvous thread looks at it at least every 100 ms.
  std::atomic<bool> stop{false};

 private:
  mutable std::mutex mutex_;
  std::vector<HostEntry> hosts_;
  std::vector<std::string> complaints_;
  std::atomic<uint64_t> version_{0};
};

}  // namespace lockstep::clocksync
