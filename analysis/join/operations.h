// Joins the records of one process into operations. Event ids are names, so records of different
// threads may come in any order (a proxy thread's block reaches the file long before the caller's):
// children wait for their parents until finish(). Only the order within a thread is relied on.
// Duplicates, stale stops, orphans and children of another process are normal input. Memory is one
// row per operation plus what is open. Used by one thread at a time; never fails, never prints.
#pragma once

#include <vector>

#include "analysis/join/join_memory.h"
#include "analysis/join/join_state.h"
#include "dumper/segment/chunk_decode.h"
#include "lockstep/record_shape.h"

namespace lockstep::analysis {

class OperationJoin {
 public:
  explicit OperationJoin(uint32_t pid) : s_(pid) {}
  // Gives brief operations. Its memory comes from there, and goes back with finish().
  OperationJoin(uint32_t pid, JoinMemory* memory) : s_(memory->take(pid)), memory_(memory) {
    s_.brief = true;
  }
  // Of a process read for a span of time, a little more than that is given: only records of the span
  // are counted, and only its times are the process's first and last.
  // `whole_from_ns`: operations that reach to there are wanted from their beginning.
  void count_only(int64_t from_ns, int64_t to_ns, int64_t whole_from_ns) {
    s_.from_ns = from_ns, s_.to_ns = to_ns, s_.whole_from_ns = whole_from_ns;
  }
  // Of these kinds there are events in captures only (docs/capture.md).
  void captured_only(uint32_t kinds) { s_.captured_kinds = kinds; }
  // Whole records of one thread. `texts` maps the process's string numbers.
  void add(uint32_t tid, const uint64_t* words, size_t count, const dumper::ChunkClock& clock,
           const std::vector<Text>& texts);
  // Those of a chunk whose records lie tag by tag.
  void add_by_tag(const dumper::DecodedChunk& chunk, const std::vector<Text>& texts);
  void know_comm(const JoinedComm& comm);  // from elsewhere than a COMM_INIT record
  // After the last record: readings of a GPU's clock; another process may have had the same pid.
  // `gpu` is the text of its UUID.
  void know_gpu(GpuSnapshot snapshot, Text gpu);
  // The end of it.
  ProcessOperations finish(const StringPool& strings, clocksync::GpuPrecision gpu_clocks);

 private:
  struct Now {
    uint32_t tid;
    int64_t ns;
    const dumper::ChunkClock* clock;
    const std::vector<Text>* texts;
    Text text(unsigned number) const { return number < texts->size() ? (*texts)[number] : 0; }
  };
  class Asked;
  // For each record; as calls they took longer than what they do.
  [[gnu::always_inline]] inline void add_record(Tag tag, const uint64_t* w, const Now& now);
  [[gnu::always_inline]] inline void start(Kind kind, const uint64_t* w, const Now& now);
  [[gnu::always_inline]] inline void state(uint8_t number, const uint64_t* w, const Now& now);
  [[gnu::always_inline]] inline void stop(Kind kind, const uint64_t* w, const Now& now);
  void comm_record(const uint64_t* w, const Now& now);
  template <typename Record>
  static ApiCall api_call(const Record& call, const Now& now);
  void start_api(Kind kind, const uint64_t* w, const Now& now);
  void start_operation(Kind kind, const uint64_t* w, const Now& now);
  template <typename Row>
  void start_row(Kind kind, const uint64_t* w, const Now& now, Row* row);
  template <typename Record>
  static void take_message(const Record& record, const Now& now, OperationRow* row);
  void start_proxy_op(const uint64_t* w, const Now& now);
  void start_step(const uint64_t* w, const Now& now);
  void stop_step(uint64_t id, int64_t now_ns);
  void forget_steps(const ProxyWork& work);
  void stop_proxy_op(uint64_t id, int64_t now_ns);

  ProcessOperations make_brief(ProcessOperations full);

  JoinState s_;
  JoinMemory* memory_ = nullptr;  // where operations are to be brief
};

}  // namespace lockstep::analysis
