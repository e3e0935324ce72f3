// What a recording process owns, and its states: prepared (arena, facts), running (keeper and dump
// thread at work), paused (last communicator gone, everything written, threads joined; late
// callbacks still land in blocks), ended. All calls under the process's lock; none from the hot
// path.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dumper/drain/dump_thread.h"
#include "dumper/feeds/comm_progress.h"
#include "dumper/options/config.h"
#include "hostload/service/host_load.h"
#include "plugin/capture/capture.h"
#include "plugin/chain/chain.h"
#include "plugin/gpu/gpu_snapshots.h"
#include "plugin/process/control.h"
#include "plugin/process/control_socket.h"
#include "plugin/process/flush_signal.h"
#include "plugin/process/host_library.h"
#include "plugin/process/kind_choice.h"
#include "plugin/process/live_outputs.h"
#include "plugin/process/snapshot_wish.h"
#include "plugin/process/trace_permit.h"
#include "plugin/record/arena.h"
#include "plugin/record/comm_facts.h"
#include "plugin/record/event_switch.h"
#include "plugin/record/keeper.h"
#include "plugin/record/overhead_meter.h"

namespace lockstep::plugin {

class Recording {
 public:
  Recording();
  ~Recording();
  // Reads the configuration, makes the arena, tells NCCL's logger what is going on. False: cannot
  // record, and said so.
  bool prepare(const CommFacts& facts, HostLibrary library);
  void resume();
  // A communicator is finalized or aborted: the first time a report is asked for.
  void teardown_begins();
  // Starts the clock prober when this communicator spans hosts; it ends with pause().
  void probe_clocks(const CommFacts& facts);
  // gpu_clock=active: reads the clock of the GPU that the calling thread works on, until pause().
  void snapshot_gpu(uint32_t comm);
  // Drains and writes everything, joins the threads. The only wait is for the writing itself.
  void pause();
  // At process exit: stops the callbacks, drains, writes the final ledger, removes the arena; keeps
  // its file when not everything could be written. While communicators live and other threads have
  // recorded, callbacks go on into the arena's file, and the final ledger is left to recovery.
  void end();
  // Sets NCCL's activation mask and remembers where it is: the pointer stays valid and is read
  // live.
  void begin_comm(uint32_t comm, int32_t* activation_mask);
  // How long the init of the process's first communicator was in the plugin.
  void note_init(int64_t took_ns);

 private:
  class Blocks;  // the dump thread's view of arena and queue
  void fill_header(const CommFacts& facts);
  dumper::DumpOptions dump_options() const;
  void prepare_services();
  void choose_what_to_record(int bound_version);
  void load_chain(int bound_version);
  void note_early_marks();
  void show_to_callbacks();
  void note_missed_by_chain();
  void flush_by_signal() const;
  void sample_host();
  void stop_services();
  // Through NCCL's logger, which the tables before v4 do not have: then warnings go to stderr.
  void log(bool warning, const std::string& sentence) const;
  static void log_from_dump_thread(void* self, const std::string& sentence);

  dumper::Config config_;
  LiveOutputs outputs_;
  dumper::CommProgress progress_{outputs_.overhead()};
  SnapshotWish snapshot_wish_;
  HostLibrary library_;
  KindChoice kinds_;
  abi::DebugLogger log_ = nullptr;
  Arena arena_;
  std::unique_ptr<BlockQueue> queue_;
  std::unique_ptr<Keeper> keeper_;
  std::unique_ptr<Blocks> blocks_;
  std::unique_ptr<dumper::DumpThread> dump_;
  EventSwitch events_;
  std::unique_ptr<Chain> chain_;
  std::unique_ptr<OverheadMeter> meter_;
  std::unique_ptr<TracePermit> trace_permit_;
  std::unique_ptr<Captures> captures_;
  std::unique_ptr<Control> control_;
  ControlSocket control_socket_;
  FlushSignal flush_signal_;
  GpuSnapshots gpu_snapshots_;
  hostload::HostLoad host_load_;
  bool running_ = false;
  bool probing_clocks_ = false;
  bool ended_ = false;
};

}  // namespace lockstep::plugin
