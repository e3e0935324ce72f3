// The prober of one host: sends trains of packets to its neighbours in the mesh, stamps what it
// sends and what it receives, and writes what follows from that to `<host>.clock`. One thread calls
// run() and everything else in here; only health() may be called from others. It sleeps in ppoll()
// and drains its sockets lazily (the kernel's stamps do not get older by waiting), so it costs
// little and a flood of packets cannot drive it. It never answers a packet it cannot authenticate,
// and an answer is never larger than the question.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "clocksync/probe/clock_sync.h"
#include "clocksync/probe/edge.h"
#include "clocksync/probe/load_guard.h"
#include "clocksync/record/clock_records.h"
#include "clocksync/wire/probe_socket.h"
#include "clocksync/wire/stamp_converter.h"

namespace lockstep::clocksync {

struct ProberSetup {
  ClockSyncOptions options;
  HostEntry self;
  std::string job;
  SecretKey secret{};
  bool takeover = false;  // another process of this host probed before
  ClockHello hello;       // the facts of this host; the prober fills in what only it knows
};

class Prober {
 public:
  Prober(const ProberSetup& setup, const ClockSource& clock,
         std::shared_ptr<HostDirectory> directory, ClockRecordWriter writer,
         std::vector<ProbeSocket> sockets);

  // Until stop_fd becomes readable; then says goodbye and flushes. 50 ms at most after that.
  void run(int stop_fd);
  ClockSyncHealth health() const;

 private:
  // prober.cc: the loop and sending
  void wait(int stop_fd, bool* stop);
  void send_due_trains(int64_t now_ns);
  void send_trains(const std::vector<Edge*>& due);
  bool send(const PacketBytes& bytes, const Endpoint& to, size_t socket);
  void schedule(Edge* edge, int64_t now_ns);
  void tick(int64_t now_ns);
  void greet_if_due(Edge* edge, const Endpoint& to, int64_t now_ns);
  void say_goodbye();
  // The kernel stamps what arrives, so nothing is lost by looking later.
  bool lazy() const { return sockets_.front().kernel_stamps(); }
  double dice();

  // prober_receive.cc: everything that comes in
  void drain(int64_t now_ns);
  void handle_sent(const SentStamp& sent);
  void handle(const Datagram& datagram, int64_t now_ns);
  void count_fault(ParseFault fault, const Datagram& datagram);
  Edge* edge_of(const Packet& packet, const Datagram& datagram, int64_t now_ns);

  // prober_members.cc: who probes whom
  void update_members(int64_t now_ns);
  void rebuild_mesh(int64_t now_ns);
  Edge* add_edge(const HostEntry& peer, bool slow, int64_t now_ns);

  // prober_records.cc: what is written
  void write_hello();
  void write_snapshot();
  void flush(int64_t now_ns);
  void flush_edge(Edge* edge, int64_t now_raw_ns, int64_t now_ns);
  void write_window(Edge* edge, const std::optional<EdgeWindow::Estimate>& estimate,
                    int64_t now_raw_ns);
  void write_state(Edge* edge);
  void fault(const std::string& kind, const std::string& peer, const std::string& detail,
             uint64_t count);
  void report_rejected(int64_t now_ns, bool last);
  void publish_health();

  const ProberSetup setup_;
  const ClockSource& clock_;
  const std::shared_ptr<HostDirectory> directory_;
  ClockRecordWriter writer_;
  // The first is known to the others: it receives everything and sends greetings. The rest send
  // trains.
  std::vector<ProbeSocket> sockets_;
  EdgeSetup edge_setup_;
  StampConverter converter_;
  LoadGuard guard_;
  ProbeCounters counters_;
  std::map<uint32_t, std::unique_ptr<Edge>> edges_;
  std::map<uint32_t, HostEntry> known_;
  std::vector<Datagram> received_;
  std::vector<SentStamp> sent_;

  uint64_t random_state_;
  uint64_t members_version_ = 0, epoch_ = 0;
  int64_t members_changed_ns_ = 0;
  bool mesh_stale_ = false;
  int64_t hold_until_ns_ = 0;  // sockets are not looked at before
  int64_t next_tick_ns_ = 0, next_flush_ns_ = 0, next_auth_fault_ns_ = 0;
  uint64_t rejected_told_ = 0, steps_told_ = 0;
  int64_t boot_minus_mono_ns_ = 0;
  bool filtering_ = false, disk_trouble_told_ = false;

  mutable std::mutex health_mutex_;
  ClockSyncHealth health_;
};

}  // namespace lockstep::clocksync
