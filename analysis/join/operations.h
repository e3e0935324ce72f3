// Joins the records of one process into operations. Event ids are names, so records of different
// threads may come in any order (a proxy thread's block reaches the file long before the caller's):
// children wait for their parents until finish(). Only the order within a thread is relied on.
// Duplicates, stale stops, orphans and children of another process are normal input. Memory is one
// row per operation plus what is open. Used by one thread at a time; never fails, never prints.
#pragma once

#include <vector>

#include "analysis/join/gpu_times.h"
#include "analysis/join/id_map.h"
#include "analysis/join/record_words.h"
#include "analysis/join/step_times.h"
#include "analysis/tables/tables_process.h"
#include "dumper/segment/chunk_clock.h"

namespace lockstep::analysis {

// A communicator as one process knew it.
struct JoinedComm {
  uint32_t number = 0;
  uint64_t comm_id = 0;
  Text name = 0;
  int32_t rank = -1, nranks = 0, nnodes = 0;
  int64_t init_ns = kNoTime, init_real_ns = kNoTime, finalize_ns = kNoTime;
  Text gpu = 0;  // as in MemberRow
};

struct ApiCall {
  uint64_t id = 0, group_id = 0, count = 0, stream = 0;
  int64_t start_ns = kNoTime, stop_ns = kNoTime;
  Text func = 0, datatype = 0;
  int32_t root = -1;
  uint32_t tid = 0, launched = 0;  // launched: Coll or P2p events it got
  bool captured = false;
};

struct GroupCall {
  int64_t stop_ns = kNoTime, launch_start_ns = kNoTime, launch_stop_ns = kNoTime;
};

struct KernelSpan {
  uint64_t parent = 0, gpu_start = 0, gpu_stop = 0;
  int64_t seen_ns = kNoTime, stop_ns = kNoTime;
  uint8_t channel = 0;
};

// One network operation of a proxy thread, its steps summed.
struct ProxyWork {
  uint64_t parent = 0;
  int64_t start_ns = kNoTime, stop_ns = kNoTime, last_ns = kNoTime;
  Stretches spent{};
  uint64_t bytes = 0;
  int32_t rank = -1, peer = -1;
  uint32_t pid = 0, planned = 0, steps = 0, retries = 0;
  uint8_t channel = 0;
  bool is_send = false, stepped = false;
  std::array<uint32_t, 8> slots{};  // open steps by step % 8, as numbers + 1
};

struct ProcessOperations {
  std::vector<JoinedComm> comms;
  std::vector<OperationRow>
      rows;  // communicator = its number in the process until run.cc knows better
  std::vector<ProxyWork> foreign;  // network operations of other processes (PXN)
  std::vector<OpenTransportRow> open;
  int64_t first_ns = kNoTime, last_ns = kNoTime;
  uint64_t records = 0, orphans = 0;  // orphans: children whose operation is not in the recording
};

class OperationJoin {
 public:
  explicit OperationJoin(uint32_t pid) : pid_(pid) {}
  // Whole records of one thread. `texts` maps the process's string numbers.
  void add(uint32_t tid, const uint64_t* words, size_t count, const dumper::ChunkClock& clock,
           const std::vector<Text>& texts);
  void know_comm(const JoinedComm& comm);  // from elsewhere than a COMM_INIT record
  // After the last record: readings of a GPU's clock; another process may have had the same pid.
  // `gpu` is the text of its UUID.
  void know_gpu(GpuSnapshot snapshot, Text gpu);
  ProcessOperations finish(const StringPool& strings);

 private:
  friend class OperationRows;
  struct OpenStep {
    uint64_t id = 0, work = 0;
    uint32_t number = 0;
    StepTimes times;
  };
  // What a launch event says beside its row.
  struct Launch {
    uint64_t api_id = 0, sequence = 0;
    bool has_sequence = false;
  };
  struct Now {
    uint32_t tid;
    int64_t ns;
    const dumper::ChunkClock* clock;
    const std::vector<Text>* texts;
    Text text(unsigned number) const { return number < texts->size() ? (*texts)[number] : 0; }
  };
  void start(Words w, const Now& now);
  void state(Words w, const Now& now);
  void stop(Words w, const Now& now);
  void comm_record(Words w, const Now& now);
  void start_api(Words w, const Now& now);
  void start_operation(Words w, const Now& now);
  void start_proxy_op(Words w, const Now& now);
  void start_step(Words w, const Now& now);
  void stop_step(uint64_t id, int64_t now_ns);
  void stop_proxy_op(uint64_t id, int64_t now_ns);
  JoinedComm& comm(uint32_t number);
  // Into the operation's row; false when it is not known (yet), or is another process's.
  bool fold(const ProxyWork& work);
  bool fold(const KernelSpan& kernel);

  uint32_t pid_;
  ProcessOperations out_;
  std::vector<Launch> launches_;  // beside out_.rows
  std::vector<ApiCall> apis_;
  std::vector<GroupCall> groups_;
  std::vector<uint64_t> launch_groups_;  // of open KernelLaunch events
  std::vector<KernelSpan> kernels_, kernels_done_;
  std::vector<ProxyWork> works_, works_done_;
  std::vector<OpenStep> steps_;
  std::vector<uint32_t> free_steps_, free_works_, free_kernels_;
  IdMap comm_at_, row_at_, api_at_, group_at_, launch_at_, kernel_at_, work_at_, step_at_;
  GpuTimes gpu_;
};

}  // namespace lockstep::analysis
