// Writes the records that the plugin would have made for one rank: whole operations at given times,
// without threads, sockets or clocks. One tick is a nanosecond. For the generator of large runs and
// for tests of the analysis; strings are numbered here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dumper/segment/chunk_encode.h"
#include "lockstep/record_shape.h"

namespace lockstep::driver {

struct RankStrings : dumper::StringSource {
  std::vector<std::string> texts = {"",          "?",         "world",       "AllReduce",
                                    "AllGather", "Broadcast", "ncclFloat32", "RING",
                                    "SIMPLE",    "Send",      "Recv"};
  std::string_view text(unsigned number) const override { return texts[number]; }
  unsigned number(std::string_view text) {
    for (unsigned i = 0; i < texts.size(); ++i) {
      if (texts[i] == text) return i;
    }
    texts.emplace_back(text);
    return static_cast<unsigned>(texts.size() - 1);
  }
};

// What the network operations of one channel do; -1 = there is none in that direction.
struct OnChannel {
  int32_t next = -1, previous = -1;
  uint64_t sent_ns = 0, received_ns = 0;
};

struct RankOperation {
  std::string func = "AllReduce", algo = "RING";
  uint64_t count = 16384;
  uint64_t call_ns = 0;    // of the API call
  uint64_t kernel_ns = 0;  // kernel start
  uint64_t finish_ns = 0;  // 0 = never
  uint64_t sequence = 0;
  int32_t peer = 0;  // send, receive: the other rank
  unsigned channels = 2;
  unsigned steps = 0;  // network steps of each direction and channel
  // Each send step spends in the network; 0 = a tenth of the kernel's time.
  uint64_t network_ns = 0;
  // So much later its proxy thread sees that a step was sent, or has come.
  uint64_t proxy_late_ns = 0;
  uint64_t sent_ns = 0, received_ns = 0;  // its network operations end; 0 = when the kernel does
  bool network_operations = true;
  uint64_t stream = 0x77;
  // Whom its network operations send to and receive from; -1 = the ranks after and before it.
  int32_t next = -1, previous = -1;
  std::vector<OnChannel> on_channels;  // of each; empty: all channels do the same
};

class RankRecords {
 public:
  RankRecords(uint32_t comm, uint64_t comm_id, int32_t rank, int32_t ranks, uint32_t pid,
              RankStrings* strings)
      : comm_(comm), comm_id_(comm_id), rank_(rank), ranks_(ranks), pid_(pid), strings_(*strings) {}

  void init(uint64_t at_ns);
  void finalize(uint64_t at_ns);
  // A collective with its group, call, launch, network operations and kernel channels; a send or
  // receive likewise.
  void operation(const RankOperation& op);
  // The call alone, as broadcasts have it.
  void call_only(const RankOperation& op);

  // Records of the user's thread and of the proxy thread, each in the order of time.
  std::vector<uint64_t> user, proxy;

 private:
  EventId next(Kind kind) { return make_event_id(kind, comm_, ++serial_); }
  uint64_t rank_word(uint64_t high) const { return static_cast<uint32_t>(rank_) | high << 32; }
  EventId begin_call(const RankOperation& op, bool p2p, EventId* group);
  void network(const RankOperation& op, EventId parent, unsigned channel, bool send);

  uint32_t comm_;
  uint64_t comm_id_;
  int32_t rank_, ranks_;
  uint32_t pid_;
  RankStrings& strings_;
  uint64_t serial_ = 0;
};

}  // namespace lockstep::driver
