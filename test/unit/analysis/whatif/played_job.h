// A job played by its own rules at virtual time: what a rank does takes as long as a test says, and what
// follows from it (who waits for whom) is worked out, so that lateness passes on as in a real job.
#pragma once

#include <algorithm>
#include <map>
#include <memory>

#include "test/unit/analysis/judge/judged.h"

namespace lockstep::analysis {

class PlayedJob {
 public:
  static constexpr uint64_t kStream = 0x77, kStreamBeside = 0x78;

  // per_host ranks to each host a, b, ...; the world is communicator 0.
  PlayedJob(int32_t ranks, int32_t per_host)
      : per_host_(per_host), now_(static_cast<size_t>(ranks)) {
    std::vector<int32_t> world;
    for (int32_t rank = 0; rank < ranks; ++rank) world.push_back(rank);
    std::fill(now_.begin(), now_.end(), 2'000 * kMs);
    communicator(world);
  }

  // Returns its number.
  unsigned communicator(const std::vector<int32_t>& members) {
    const auto number = static_cast<unsigned>(comms_.size());
    Comm& comm = comms_.emplace_back();
    comm.members = members;
    for (size_t i = 0; i < members.size(); ++i) {
      const auto world_rank = static_cast<uint32_t>(members[i]);
      comm.records.push_back(std::make_unique<driver::RankRecords>(
          number + 1, 0xc0 + number, static_cast<int32_t>(i), static_cast<int32_t>(members.size()),
          10 + world_rank, &run_.strings));
      comm.records.back()->init(1'000 * kMs + number);
    }
    return number;
  }

  void work(int32_t rank, uint64_t ns) { now(rank) += ns; }
  uint64_t now_ns(int32_t rank) { return now(rank); }

  void collective(unsigned number, uint64_t ns = 1 * kMs, const char* func = "AllReduce") {
    Comm& comm = comms_[number];
    uint64_t last = 0;
    for (const int32_t rank : comm.members) last = std::max(last, now(rank));
    for (size_t i = 0; i < comm.members.size(); ++i) end(&comm, i, func, 0, last + ns);
  }
  // Elements of the operations from here on.
  void size(uint64_t count) { count_ = count; }
  void stream(uint64_t stream) { stream_ = stream; }
  // Each rank ends on its own: nobody waits for anybody.
  void without_waiting(unsigned number, uint64_t ns, const char* func) {
    Comm& comm = comms_[number];
    for (size_t i = 0; i < comm.members.size(); ++i)
      end(&comm, i, func, 0, now(comm.members[i]) + ns);
  }
  // Each rank ends when until_ns(rank) says.
  template <class Until>
  void each_until(unsigned number, const char* func, const Until& until_ns) {
    Comm& comm = comms_[number];
    std::vector<uint64_t> ends_ns;
    for (const int32_t rank : comm.members) ends_ns.push_back(until_ns(rank));
    for (size_t i = 0; i < comm.members.size(); ++i) end(&comm, i, func, 0, ends_ns[i]);
  }
  // On a stream of its own, from when begin_ns(rank) says, beside what the ranks do next. Returns its end.
  template <class Begin>
  uint64_t beside(unsigned number, const Begin& begin_ns, uint64_t ns) {
    const std::vector<uint64_t> now_ns = now_;
    for (const int32_t rank : comms_[number].members) now(rank) = begin_ns(rank);
    stream(kStreamBeside);
    collective(number, ns);
    stream(kStream);
    const uint64_t end_ns = now(comms_[number].members.front());
    now_ = now_ns;
    return end_ns;
  }
  // Everybody calls and goes on; of the operation the call alone is recorded.
  void call_only(unsigned number, const char* func) {
    Comm& comm = comms_[number];
    for (size_t i = 0; i < comm.members.size(); ++i) {
      driver::RankOperation op;
      op.func = func;
      op.sequence = comm.calls[i]++;
      op.call_ns =
          now(comm.members[i]) + ahead_ns_ * static_cast<uint64_t>(comm.members[i] / per_host_);
      comm.records[i]->call_only(op);
      now(comm.members[i]) += 10'000;
    }
  }
  // On the world. The sender goes on at once, as with small messages.
  void send(int32_t from, int32_t to, uint64_t ns = kMs / 10) {
    sent_[{from, to}].push_back(now(from) + ns);
    end(&comms_[0], static_cast<size_t>(from), "Send", to, now(from) + ns);
  }
  bool can_receive(int32_t from, int32_t to) const {
    const auto sent = sent_.find({from, to});
    const auto taken = taken_.find({from, to});
    return sent != sent_.end() && sent->second.size() > (taken == taken_.end() ? 0 : taken->second);
  }
  void receive(int32_t from, int32_t to) {
    const uint64_t arrived = sent_[{from, to}][taken_[{from, to}]++];
    end(&comms_[0], static_cast<size_t>(to), "Recv", from, std::max(arrived, now(to) + kMs / 100));
  }

  // Each host's clock is so far ahead of the one before, and nothing connects them. For calls alone.
  void clocks_apart(uint64_t ahead_ns) { ahead_ns_ = ahead_ns; }

  Judged judge() {
    const auto ranks = static_cast<int32_t>(now_.size());
    for (int32_t rank = 0; rank < ranks; ++rank) {
      std::vector<const std::vector<uint64_t>*> threads;
      for (Comm& comm : comms_) {
        const auto at = std::find(comm.members.begin(), comm.members.end(), rank);
        if (at == comm.members.end()) continue;
        const auto& records = comm.records[static_cast<size_t>(at - comm.members.begin())];
        threads.push_back(&records->user);
        threads.push_back(&records->proxy);
      }
      run_.add(static_cast<uint32_t>(10 + rank), threads, host_of(rank, per_host_));
    }
    if (ahead_ns_ == 0) align_hosts(run_, ranks, per_host_);
    Judged judged(run_.load());
    EXPECT_TRUE(judged.run->damage.empty());
    return judged;
  }

 private:
  struct Comm {
    std::vector<int32_t> members;
    std::vector<std::unique_ptr<driver::RankRecords>> records;
    std::map<size_t, uint64_t> calls;  // by member
  };
  uint64_t& now(int32_t rank) { return now_[static_cast<size_t>(rank)]; }

  void end(Comm* comm, size_t member, const char* func, int32_t peer, uint64_t at_ns) {
    uint64_t& now_ns = now(comm->members[member]);
    driver::RankOperation op;
    op.func = func;
    op.peer = peer;
    op.channels = 1;
    op.count = count_;
    op.stream = stream_;
    op.sequence = comm->calls[member]++;
    op.call_ns = now_ns;
    op.kernel_ns = now_ns + 10'000;
    op.finish_ns = at_ns + 20'000;
    comm->records[member]->operation(op);
    now_ns = op.finish_ns;
  }

  TestRun run_;
  int32_t per_host_;
  uint64_t count_ = 16384, stream_ = kStream, ahead_ns_ = 0;
  std::vector<uint64_t> now_;  // by rank
  std::vector<Comm> comms_;
  std::map<std::pair<int32_t, int32_t>, std::vector<uint64_t>> sent_;  // when each arrives
  std::map<std::pair<int32_t, int32_t>, size_t> taken_;
};

}  // namespace lockstep::analysis
