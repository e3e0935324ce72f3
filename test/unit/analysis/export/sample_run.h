// A small run made by hand: two hosts, one process each, one communicator "world" of two ranks with
// three matched all-reduces of which the third still runs on rank 1, one send without a match, and
// a clock model of two points. Details: per process two calls that nest, two kernel channels that
// overlap, and two network steps that overlap on one channel.
#pragma once

#include "analysis/export/export.h"

namespace lockstep::analysis {

constexpr uint32_t kSampleOperations = 7;

inline OperationRow sample_operation(StringPool* strings, uint32_t process, uint32_t ordinal) {
  OperationRow row;
  const int64_t base_ns = 1000000 + 100000 * int64_t{ordinal} + 700 * int64_t{process};
  row.event_id = make_event_id(Kind::Coll, 1, 10 + ordinal);
  row.api_start_ns = base_ns;
  row.api_stop_ns = base_ns + 2000;
  row.enqueue_ns = base_ns + 1000;
  row.kernel_start_ns = base_ns + 5000;
  row.kernel_stop_ns = base_ns + 45000;
  row.finish_ns = row.last_progress_ns = base_ns + 50000;
  row.count = 4096;
  row.size_bytes = 16384;
  row.process = process;
  row.communicator = 0;
  row.match = ordinal;
  row.ordinal = ordinal;
  row.seq_number = ordinal;
  row.rank = static_cast<int32_t>(process);
  row.tid = 100 + process;
  row.func = strings->intern("AllReduce");
  row.datatype = strings->intern("ncclFloat32");
  row.algo = strings->intern("RING");
  row.proto = strings->intern("LL");
  row.state = OpState::Done;
  return row;
}

inline void sample_add_ranks(RunTables* run, uint32_t process) {
  for (uint32_t ordinal = 0; ordinal < 3; ++ordinal) {
    OperationRow row = sample_operation(&run->strings, process, ordinal);
    if (process == 1 && ordinal == 2) {
      row.state = OpState::InFlight;
      row.finish_ns = row.kernel_stop_ns = kNoTime;
    }
    run->operations.push_back(row);
  }
  ProcessRow row;
  row.uid = 77 + process;
  row.host = run->strings.intern(process == 0 ? "node\"0" : "node1");
  row.pid = 4242;  // the same on both hosts
  row.rank = static_cast<int32_t>(process);
  row.first_ns = 1000000;
  row.last_ns = 2000000;
  row.real_offset_ns = 1700000000000000000;
  row.aligned = 1;
  run->processes.push_back(row);
  run->members.push_back({0, process, 1, static_cast<int32_t>(process), 1000000, kNoTime});
}

inline void sample_match(RunTables* run) {
  for (uint32_t ordinal = 0; ordinal < 3; ++ordinal) {
    MatchRow match;
    match.communicator = 0;
    match.first_arrival = 2 * ordinal;
    match.arrivals = match.expected = 2;
    match.ordinal = ordinal;
    match.func = run->strings.intern("AllReduce");
    match.last_rank = 1;
    match.spread_ns = 700;
    match.step = ordinal;
    run->matches.push_back(match);
    for (uint32_t process = 0; process < 2; ++process) {
      ArrivalRow arrival;
      arrival.operation = 3 * process + ordinal;
      arrival.match = ordinal;
      arrival.last_rank_row = 2 * ordinal + 1;
      arrival.rank = static_cast<int32_t>(process);
      arrival.arrival_ns = run->operations[arrival.operation].kernel_start_ns;
      arrival.wait_ns = process == 0 ? 700 : 0;
      arrival.busbw_gbs = 1.5;
      arrival.last = process == 1;
      arrival.cause = process == 1 ? Cause::HostLate : Cause::None;
      run->arrivals.push_back(arrival);
    }
  }
}

inline std::unique_ptr<RunTables> sample_run() {
  auto run = std::make_unique<RunTables>();
  CommunicatorRow world;
  world.comm_id = 0xfedcba9876543210;
  world.name = run->strings.intern("world");
  world.nranks = world.nnodes = 2;
  world.members = 2;
  run->communicators.push_back(world);
  for (uint32_t process = 0; process < 2; ++process) sample_add_ranks(run.get(), process);
  sample_match(run.get());
  OperationRow send = sample_operation(&run->strings, 1, 3);
  send.kind = OpKind::PointToPoint;
  send.func = run->strings.intern("Send");
  send.match = kNoRow;
  send.peer = 0;
  run->operations.push_back(send);
  const Text probes = run->strings.intern("probes");
  for (const int64_t at_ns : {1000000, 1900000})
    run->clock.push_back({run->processes[1].host, at_ns, 250, 1500, probes});
  LedgerRow ledger;
  ledger.process = 0;
  ledger.communicator = 0;
  ledger.number = 1;
  ledger.kind = static_cast<uint8_t>(Kind::Coll);
  ledger.kept = 3;
  run->ledger.push_back(ledger);
  run->aligned = true;
  return run;
}

inline void sample_event(DetailSink* sink, uint32_t process, Kind kind, uint64_t serial,
                         int64_t start_ns, int64_t stop_ns) {
  EventRow row;
  row.event_id = make_event_id(kind, 1, serial);
  row.start_ns = start_ns;
  row.stop_ns = stop_ns;
  row.process = process;
  row.communicator = 0;
  row.tid = 100 + process;
  row.rank = static_cast<int32_t>(process);
  row.kind = static_cast<uint8_t>(kind);
  sink->event(row);
}

inline Status sample_details(uint32_t process, DetailSink* sink) {
  // In the order of their stops, as the reader hands them out.
  sample_event(sink, process, Kind::CollApi, 2, 1000100, 1001000);
  sample_event(sink, process, Kind::GroupApi, 1, 1000000, 1002000);
  sample_event(sink, process, Kind::Coll, 10, 1001000, 1050000);
  sample_event(sink, process, Kind::KernelCh, 3, 1005000, 1045000);
  sample_event(sink, process, Kind::KernelCh, 4, 1006000, 1046000);
  for (uint64_t i = 0; i < 2; ++i) {
    ProxyStepRow step;
    step.event_id = make_event_id(Kind::ProxyStep, 1, 20 + i);
    step.operation_id = make_event_id(Kind::Coll, 1, 10);
    step.start_ns = 1010000 + static_cast<int64_t>(i) * 1000;
    step.stop_ns = step.start_ns + 5000;
    step.network_ns = 4000;
    step.size_bytes = 8192;
    step.process = process;
    step.communicator = 0;
    step.rank = static_cast<int32_t>(process);
    step.peer = 1 - step.rank;
    step.step = static_cast<int32_t>(i);
    step.is_send = 1;
    sink->proxy_step(step);
  }
  return {};
}
constexpr uint32_t kSampleDetailSlices = 2 * (2 + 2 + 2);  // Coll is drawn as an operation

inline ExportInput sample_input(const RunTables& run) {
  return {&run, [](uint32_t process, DetailSink* sink) { return sample_details(process, sink); }};
}

}  // namespace lockstep::analysis
