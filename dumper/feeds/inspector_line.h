// The fields of the Inspector's JSON lines, format "v4.2", in one place for their two writers: the
// live lines (inspector_json.h) and `lockstep export --to inspector`. A line is a header (whose
// communicator), metadata (who wrote it and when) and one payload: the performance of an operation,
// or what a dump holds. Scripts and NVIDIA's exporter read them unchanged; keys of ours begin with
// lockstep_ or stand in dump_stats. docs/inspector.md has the grammar. Knows nothing of records.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::dumper {

struct InspectorContext {
  uint64_t comm_id = 0;
  std::string_view comm_name;  // empty: "unknown"
  int64_t rank = 0;
  int64_t ranks = 0;
  int64_t nodes = 0;
  uint64_t timestamp_us = 0;  // of the operation's end, or of the dump
  std::string_view host;
  uint32_t pid = 0;
};

struct InspectorPerf {
  bool p2p = false;
  std::string_view func, algo, proto;  // no algo and proto of a send or receive
  uint64_t number = 0;                 // NCCL's, of a send or receive counted per communicator
  int32_t peer = -1;
  uint64_t message_bytes = 0;
  uint64_t exec_us = 0;
  std::string_view timing_source;
  double algo_gbs = 0, bus_gbs = 0;
  uint64_t event_id = 0, start_us = 0;
  bool complete = false;
};

// Verbose lines: the callbacks of the operation, as two JSON objects; empty: none.
struct InspectorTraces {
  std::string order, times;
};

// Since the last dump, and what was lost in all and since then.
struct InspectorCounts {
  uint64_t records = 0, dropped = 0, dropped_now = 0;
};

// Of a communicator since it began, for one of collectives and of sends and receives.
struct InspectorTotals {
  uint64_t seen = 0, written = 0, incomplete = 0, below_min_size = 0, without_kernel_timing = 0;
};
struct InspectorDump {
  InspectorCounts coll, p2p;
  bool has_totals = false;
  InspectorTotals coll_totals, p2p_totals;
  uint64_t not_recorded = 0, lines_dropped = 0;
};

// Whole lines, without the newline.
std::string inspector_perf_line(const InspectorContext& context, const InspectorPerf& perf,
                                const InspectorTraces& traces);
std::string inspector_dump_line(const InspectorContext& context, const InspectorDump& dump);

}  // namespace lockstep::dumper
