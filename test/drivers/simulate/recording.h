// Writes down what the engine plays as NCCL 2.30 would have called the plugin (v6 table): on each
// rank's host thread the calls of a launch, on one proxy thread per communicator the kernel channels
// with GPU stamps; then every rank's segment file. One thread.
#pragma once

#include <string>
#include <vector>

#include "dumper/segment/counts.h"
#include "test/drivers/simulate/engine.h"
#include "test/drivers/simulate/host_clock.h"
#include "test/drivers/simulate/network_records.h"
#include "test/drivers/simulate/process_file.h"
#include "test/drivers/simulate/run_options.h"
#include "test/drivers/simulate/thread_records.h"

namespace lockstep::simulate {

struct RecordedCounts {
  dumper::CallCounts calls{};
  uint64_t communicators = 0, processes = 0;
};

constexpr uint32_t pid_of(int rank) { return 10'000 + static_cast<uint32_t>(rank); }

class Recording : public Observer {
 public:
  // `events`: the kinds of options.events, a bit each.
  Recording(const Layout& layout, const Faults& faults, const Random& random,
            const RunOptions& options, uint32_t events);

  uint64_t launched(const Launch& launch) override;
  void kernel_began(int rank, uint64_t launch, int64_t at_ns) override;
  void kernel_ended(int rank, uint64_t launch, int64_t at_ns) override;
  void moved(const Meeting& meeting, const Transfer& transfer, Progress progress) override;
  void broke(int rank, uint64_t launch, int64_t at_ns) override;
  void died(int rank, int64_t at_ns) override;

  Status write(const std::string& directory, const Outcome& outcome, RecordedCounts* counts);

 private:
  // A launch under way: what its kernel's events need.
  struct Launched {
    EventId first_operation = 0;
    uint32_t parts = 0, communicator = 0;
    int step = 0;
    EventId first_kernel = 0;
  };
  struct Rank {
    explicit Rank(size_t* room) : user(room) {}

    ThreadRecords user;
    std::vector<ThreadRecords> proxies;   // by communicator's number - 1
    std::vector<uint64_t> proxy_serials;  // likewise
    std::vector<uint64_t> sequences;      // [number - 1][function]
    uint64_t user_serial = 1;
    std::vector<Launched> launches;
    int64_t died_ns = kNever;
  };

  Rank& rank(int number) { return ranks_[static_cast<size_t>(number)]; }
  const HostClock& clock(int rank) const {
    return clocks_[static_cast<size_t>(layout_.host_of(rank))];
  }
  uint64_t ticks(int rank, int64_t true_ns) const { return clock(rank).ticks(true_ns); }
  bool records(Kind kind) const { return (events_ >> static_cast<unsigned>(kind) & 1u) != 0; }
  void begin_rank(int number);
  void api_call(const Launch& launch, const Part& part, EventId id, EventId group, uint64_t start,
                uint64_t stop);
  void operation(const Launch& launch, const Part& part, EventId id, EventId api, EventId group,
                 uint64_t start);
  EdgeEnd edge_end(const Meeting& meeting, size_t self, size_t peer, Progress progress);
  uint64_t seen_ticks(int number, const Launched& launched, int64_t at_ns) const;
  Status write_rank(int number, const Outcome& outcome, int64_t look_ns, ProcessFileWriter* files,
                    RecordedCounts* counts);
  ProcessRecords process_of(int number) const;
  std::vector<Anchor> anchors(int number, int64_t last_ns, int64_t end_ns) const;
  bool lost(int number) const;

  const Layout& layout_;
  const Faults& faults_;
  Random random_;
  const RunOptions& options_;
  uint32_t events_;
  std::vector<HostClock> clocks_;
  size_t room_ = (256 << 20) / sizeof(uint64_t);  // for words that are not packed
  std::vector<Rank> ranks_;
};

}  // namespace lockstep::simulate
