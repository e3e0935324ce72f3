// One operation of a progress thread: sending to or receiving from a neighbour, or watching a
// kernel's channel. The steps' life and the calls made for them follow NCCL's network transport.
// Everything here runs on the progress thread. A Sub comes from a pool that is never cleared: its
// handles keep what an earlier operation left there, unless the plugin writes them.
#pragma once

#include <deque>
#include <memory>

#include "test/drivers/common/plugin.h"
#include "test/drivers/emulate/gpu.h"
#include "test/drivers/emulate/options.h"

namespace lockstep::driver {

struct Sub;

// One direction of one connection. Operations on it run one after the other.
struct Link {
  int fd = -1;
  std::deque<Sub*> queue;
};

enum class ProxyWork : uint8_t { Receive, Send, WatchKernel };

struct PostedOp {
  ProxyWork what = ProxyWork::Receive;
  bool stuck = false;  // on purpose: the data never leaves
  uint64_t mask = 0;
  void* context = nullptr;
  void* parent = nullptr;
  int32_t rank = 0;
  int32_t peer = 0;
  uint8_t channel = 0;
  int32_t steps = 0;
  int32_t chunk_bytes = 0;
  uint64_t slice_bytes = 0;
  uint64_t total_bytes = 0;
  uint64_t tag = 0;  // what the other end must call this operation too
  Link* link = nullptr;
  std::shared_ptr<Work> work;
};

struct Sub {
  PostedOp op;
  int posted = 0, transmitted = 0, received = 0, done = 0;
  bool in_progress = false, in_transit = false, kernel_started = false, failed = false;
  uint64_t moved_bytes = 0;      // of the slice in transit, header included
  int64_t passes_at_raw_ns = 0;  // when the slice in transit leaves a slow link, 0: not known yet
  // Never reset when the Sub is used again:
  void* op_handle;
  void* step_handle[8];
  void* net_handle[8];
  void* kernel_handle;
};

// What a slice starts with on the wire.
struct SliceHeader {
  uint64_t tag;
  uint32_t step;
  uint32_t bytes;
};

class ProxyEngine {
 public:
  ProxyEngine(Plugin* plugin, const EmulateOptions& options, int world_rank);
  void start(Sub* sub);  // at append: the ProxyOp's start
  // Answers whether anything moved; finished() tells when to drop the sub.
  bool progress(Sub* sub);
  static bool finished(const Sub& sub);

 private:
  bool progress_receive(Sub* sub);
  bool progress_send(Sub* sub);
  bool progress_kernel(Sub* sub);
  bool receive_slice(Sub* sub);
  bool send_slice(Sub* sub);
  void start_step(Sub* sub, int step);
  void record_step(const Sub& sub, int step, abi::State state, uint64_t bytes);
  void stop_step(Sub* sub, int step);
  void start_net(Sub* sub, int step, uint64_t bytes);
  void finish(Sub* sub);
  bool passed_slow_link(Sub* sub, uint64_t bytes);

  Plugin* plugin_;
  const EmulateOptions& options_;
  const int world_rank_;
  const int32_t pid_;
  std::unique_ptr<char[]> scratch_;
  int64_t link_free_raw_ns_ = 0;  // when a slow link has sent what it was given
};

}  // namespace lockstep::driver
