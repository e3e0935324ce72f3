// How the ranks of an emulated job find each other: rank 0 listens, the others tell it where they
// listen, everybody gets the list. After that, data connections between any two ranks and barriers.
// One per process, used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/status.h"

namespace lockstep::driver {

struct BootstrapOptions {
  int rank;
  int world;
  std::string master;  // HOST:PORT
  int listening = -1;  // rank 0: a socket that already listens there, or -1
};

class Bootstrap {
 public:
  static Result<Bootstrap> join(const BootstrapOptions& options);
  Bootstrap(Bootstrap&& other) noexcept;
  Bootstrap(const Bootstrap&) = delete;
  ~Bootstrap();

  int rank() const { return options_.rank; }
  int world() const { return options_.world; }
  const std::string& host_of(int rank) const { return hosts_[static_cast<size_t>(rank)]; }
  int hosts() const;  // how many different ones
  int hosts_of(const std::vector<int>& ranks) const;

  // A one-way stream to a rank; the other end takes it with accept_from() under the same key. -1:
  // the peer is gone.
  int connect_to(int rank, uint64_t key);
  int accept_from(int rank, uint64_t key);
  // False when a rank is gone or does not come in time.
  bool barrier(int timeout_ms);
  // Everybody's number becomes rank 0's. False as above.
  bool tell_all(int64_t* number, int timeout_ms);

 private:
  explicit Bootstrap(BootstrapOptions options) : options_(std::move(options)) {}
  Status gather_as_master();
  Status report_to_master();
  Status listen_for_data();

  BootstrapOptions options_;
  int data_listener_ = -1;
  std::vector<int> control_;  // rank 0: to each rank; others: one, to rank 0
  std::vector<std::string> addresses_;
  std::vector<std::string> hosts_;
  std::map<std::pair<int, uint64_t>, int> waiting_;  // accepted, not yet asked for
};

// A listening socket on HOST:PORT (port 0: any), and the port it got.
Result<std::pair<int, int>> listen_on(const std::string& host, int port);

}  // namespace lockstep::driver
