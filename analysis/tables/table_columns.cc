#include "analysis/tables/table_columns.h"

#include <algorithm>
#include <iterator>

#include "analysis/tables/classes.h"
#include "base/text.h"
#include "lockstep/record_shape.h"

namespace lockstep::analysis {
namespace {

Value number(int64_t value) { return {true, value, 0, {}}; }
Value time_or_null(int64_t ns) { return {ns != kNoTime, ns, 0, {}}; }
Value row_or_null(uint32_t row) { return {row != kNoRow, row, 0, {}}; }
Value id_or_null(uint64_t id) { return {id != 0, static_cast<int64_t>(id), 0, {}}; }
Value word(std::string_view text) { return {true, 0, 0, text}; }
Value word_or_null(std::string_view text) { return text.empty() ? Value() : word(text); }
Value text_or_null(const RunTables& run, Text text) { return {text != 0, 0, 0, run.text(text)}; }
Value host_of(const RunTables& run, uint32_t process) {
  return process < run.processes.size() ? text_or_null(run, run.processes[process].host) : Value();
}
Value rank_of(const RunTables& run, uint32_t process) {
  if (process >= run.processes.size() || run.processes[process].rank < 0) return Value();
  return number(run.processes[process].rank);
}
// A capture by position begins and stops with a call; its times and the call's were converted from the same ticks by
// other anchors. Marks, steps and instants come between calls, and no allowance may pull one over their edges.
constexpr int64_t kSameCallNs = 500;

int64_t allowance_ns(const RunTables& run, const CaptureRow& capture) {
  return starts_with(run.text(capture.rule), "position:") ? kSameCallNs : 0;
}

// The capture in whose time it was called; of several the one that is last in the table.
Value capture_of(const RunTables& run, const OperationRow& row) {
  const int64_t time_ns = row.api_start_ns != kNoTime ? row.api_start_ns : row.enqueue_ns;
  if (run.captures.empty() || time_ns == kNoTime) return Value();
  const auto begin = std::lower_bound(
      run.captures.begin(), run.captures.end(), row.process,
      [](const CaptureRow& capture, uint32_t process) { return capture.process < process; });
  Value found;
  for (auto it = begin; it != run.captures.end() && it->process == row.process; ++it) {
    const int64_t called_ns = time_ns + allowance_ns(run, *it);
    if (it->start_ns != kNoTime && called_ns >= it->start_ns &&
        (it->stop_ns == kNoTime || called_ns < it->stop_ns))
      found = text_or_null(run, it->capture);
  }
  return found;
}
Value word_of(const char* const* words, size_t count, size_t index) {
  return index < count ? word(words[index]) : Value();
}

}  // namespace

// Each line is a column; R is the row's type.
#define LOCKSTEP_COLUMN(name, type, value)                                                      \
  {                                                                                             \
    name, ColumnType::type,                                                                     \
        [](const RunTables& run, const R& row, [[maybe_unused]] uint64_t row_number) -> Value { \
          static_cast<void>(run);                                                               \
          static_cast<void>(row);                                                               \
          return value;                                                                         \
        }                                                                                       \
  }
#define KEY(name) LOCKSTEP_COLUMN(name, BigInt, number(static_cast<int64_t>(row_number)))
#define TIME(member) LOCKSTEP_COLUMN(#member, BigInt, time_or_null(row.member))
#define COUNT(member) LOCKSTEP_COLUMN(#member, BigInt, number(static_cast<int64_t>(row.member)))
#define SMALL(member) LOCKSTEP_COLUMN(#member, Integer, number(row.member))
#define HASH(member) LOCKSTEP_COLUMN(#member, UBigInt, number(static_cast<int64_t>(row.member)))
#define ID(member) LOCKSTEP_COLUMN(#member, BigInt, id_or_null(row.member))
#define TAG(member) LOCKSTEP_COLUMN(#member, UBigInt, id_or_null(row.member))
#define INDEX(member) LOCKSTEP_COLUMN(#member, BigInt, row_or_null(row.member))
#define TEXT(member) LOCKSTEP_COLUMN(#member, Varchar, text_or_null(run, row.member))
#define REAL(member) LOCKSTEP_COLUMN(#member, Double, (Value{row.member > 0, 0, row.member, {}}))
#define WORD(member, words)         \
  LOCKSTEP_COLUMN(#member, Varchar, \
                  word_of(words, std::size(words), static_cast<size_t>(row.member)))
#define RANK(process) LOCKSTEP_COLUMN("rank", Integer, rank_of(run, process))
#define CAPTURE() LOCKSTEP_COLUMN("capture", Varchar, capture_of(run, row))
#define HOST(process) LOCKSTEP_COLUMN("host", Varchar, host_of(run, process))

template <>
const std::vector<Column<ProcessRow>>& columns_of<ProcessRow>() {
  using R = ProcessRow;
  static const std::vector<Column<R>> columns = {KEY("process"),
                                                 TEXT(host),
                                                 HASH(uid),
                                                 TEXT(boot_id),
                                                 TEXT(job),
                                                 TEXT(nccl_api),
                                                 TEXT(library),
                                                 TEXT(nccl_library),
                                                 ID(nccl_version),
                                                 TEXT(driver_version),
                                                 HASH(kinds),
                                                 COUNT(pid),
                                                 SMALL(rank),
                                                 TIME(first_ns),
                                                 TIME(last_ns),
                                                 TIME(heard_ns),
                                                 COUNT(real_offset_ns),
                                                 COUNT(raw_offset_ns),
                                                 COUNT(clock_error_ns),
                                                 COUNT(records),
                                                 COUNT(stored_bytes),
                                                 COUNT(lost),
                                                 COUNT(segments),
                                                 COUNT(damaged_chunks),
                                                 SMALL(aligned),
                                                 WORD(life, kLifeNames),
                                                 SMALL(recovered)};
  return columns;
}

template <>
const std::vector<Column<CommunicatorRow>>& columns_of<CommunicatorRow>() {
  using R = CommunicatorRow;
  static const std::vector<Column<R>> columns = {
      KEY("communicator"),
      HASH(comm_id),
      HASH(member_digest),
      COUNT(incarnation),
      TEXT(name),
      SMALL(nranks),
      SMALL(nnodes),
      COUNT(first_member),
      COUNT(members),
      LOCKSTEP_COLUMN("role", Varchar, word_or_null(known_word(row.role))),
      TEXT(role_reason),
      LOCKSTEP_COLUMN("reach", Varchar, word_or_null(known_word(reach_of(run, row)))),
      INDEX(parent),
      INDEX(split_number),
      INDEX(split_color)};
  return columns;
}

template <>
const std::vector<Column<MemberRow>>& columns_of<MemberRow>() {
  using R = MemberRow;
  static const std::vector<Column<R>> columns = {
      KEY("member"), INDEX(communicator), INDEX(process),    HOST(row.process), COUNT(number),
      SMALL(rank),   TIME(init_ns),       TIME(finalize_ns), TEXT(gpu)};
  return columns;
}

template <>
const std::vector<Column<OperationRow>>& columns_of<OperationRow>() {
  using R = OperationRow;
  static const std::vector<Column<R>> columns = {
      KEY("operation"),
      ID(event_id),
      ID(group_id),
      INDEX(process),
      HOST(row.process),
      INDEX(communicator),
      INDEX(match),
      INDEX(assembled),
      SMALL(rank),
      SMALL(peer),
      COUNT(tid),
      TEXT(func),
      WORD(kind, kOpKindNames),
      WORD(state, kOpStateNames),
      TEXT(datatype),
      TEXT(algo),
      TEXT(proto),
      COUNT(ordinal),
      TIME(seq_number),
      TAG(user_tag),
      COUNT(replay),
      INDEX(position),
      INDEX(step),
      COUNT(count),
      COUNT(size_bytes),
      LOCKSTEP_COLUMN("size_class", Varchar,
                      word(kSizeClasses[size_class_of(row.size_bytes)].name)),
      COUNT(sent_bytes),
      COUNT(received_bytes),
      TIME(api_start_ns),
      TIME(api_stop_ns),
      TIME(enqueue_ns),
      TIME(launch_ns),
      TIME(kernel_start_ns),
      TIME(kernel_stop_ns),
      TIME(kernel_early_ns),
      TIME(kernel_late_ns),
      TIME(kernel_seen_ns),
      TIME(proxy_start_ns),
      TIME(last_progress_ns),
      TIME(finish_ns),
      COUNT(gpu_wait_ns),
      COUNT(peer_wait_ns),
      COUNT(network_ns),
      COUNT(receive_wait_ns),
      COUNT(flush_ns),
      COUNT(proxy_lag_ns),
      COUNT(proxy_ops),
      COUNT(proxy_ops_open),
      COUNT(kernels),
      COUNT(kernels_open),
      COUNT(steps),
      COUNT(step_retries),
      HASH(channels_mask),
      SMALL(channels),
      HASH(stream),
      SMALL(flags),
      CAPTURE()};
  return columns;
}

template <>
const std::vector<Column<ArrivalRow>>& columns_of<ArrivalRow>() {
  using R = ArrivalRow;
  static const std::vector<Column<R>> columns = {
      KEY("arrival"),
      INDEX(operation),
      INDEX(match),
      HOST(row.operation < run.operations.size() ? run.operations[row.operation].process : kNoRow),
      SMALL(rank),
      TIME(arrival_ns),
      WORD(basis, kArrivalBasisNames),
      TIME(wait_ns),
      TIME(transfer_ns),
      TIME(finish_ns),
      COUNT(clock_error_ns),
      REAL(algbw_gbs),
      REAL(busbw_gbs),
      SMALL(last),
      INDEX(last_rank_row),
      WORD(cause, kCauseNames)};
  return columns;
}

template <>
const std::vector<Column<MatchRow>>& columns_of<MatchRow>() {
  using R = MatchRow;
  static const std::vector<Column<R>> columns = {
      KEY("match"),      INDEX(communicator),  TEXT(func),      COUNT(ordinal),
      COUNT(replay),     COUNT(first_arrival), COUNT(arrivals), COUNT(expected),
      SMALL(last_rank),  TIME(spread_ns),      TIME(start_ns),  TIME(finish_ns),
      TIME(transfer_ns), COUNT(size_bytes),    INDEX(step),     WORD(cause, kCauseNames),
      SMALL(comparable)};
  return columns;
}

template <>
const std::vector<Column<ClockRow>>& columns_of<ClockRow>() {
  using R = ClockRow;
  static const std::vector<Column<R>> columns = {TEXT(host), COUNT(at_ns), COUNT(offset_ns),
                                                 COUNT(error_ns), TEXT(source)};
  return columns;
}

template <>
const std::vector<Column<MarkedStepRow>>& columns_of<MarkedStepRow>() {
  using R = MarkedStepRow;
  static const std::vector<Column<R>> columns = {
      KEY("rank_step"), INDEX(process), HOST(row.process), RANK(row.process),
      COUNT(tid),       COUNT(step),    TIME(start_ns),    TIME(finish_ns)};
  return columns;
}

template <>
const std::vector<Column<RangeRow>>& columns_of<RangeRow>() {
  using R = RangeRow;
  static const std::vector<Column<R>> columns = {
      KEY("range"),      INDEX(process), HOST(row.process),
      RANK(row.process), COUNT(tid),     WORD(kind, kRangeKindNames),
      TEXT(text),        TEXT(domain),   COUNT(category),
      COUNT(depth),      TIME(start_ns), TIME(finish_ns)};
  return columns;
}

template <>
const std::vector<Column<CaptureRow>>& columns_of<CaptureRow>() {
  using R = CaptureRow;
  static const std::vector<Column<R>> columns = {
      TEXT(capture), TEXT(name),  TEXT(asked_by), TEXT(rule),     INDEX(process), TEXT(host),
      COUNT(pid),    SMALL(rank), TEXT(state),    TIME(position), TIME(start_ns), TIME(stop_ns)};
  return columns;
}

#define LOSS(reason)                                               \
  LOCKSTEP_COLUMN(kLossNames[static_cast<size_t>(reason)], BigInt, \
                  number(static_cast<int64_t>(row.lost[static_cast<size_t>(reason)])))

template <>
const std::vector<Column<LedgerRow>>& columns_of<LedgerRow>() {
  using R = LedgerRow;
  static const std::vector<Column<R>> columns = {
      INDEX(process),         HOST(row.process),      INDEX(communicator), COUNT(number),
      WORD(kind, kKindNames), WORD(call, kCallNames), COUNT(kept),         LOSS(Loss::Filtered),
      LOSS(Loss::Memory),     LOSS(Loss::Folded),     LOSS(Loss::Disk),    LOSS(Loss::Unknown)};
  return columns;
}

template <>
const std::vector<Column<OpenTransportRow>>& columns_of<OpenTransportRow>() {
  using R = OpenTransportRow;
  static const std::vector<Column<R>> columns = {
      INDEX(operation),  INDEX(process),    HOST(row.process), SMALL(rank),
      SMALL(peer),       SMALL(channel),    SMALL(is_send),    COUNT(steps_planned),
      COUNT(steps_done), COUNT(steps_open), TIME(since_ns),    WORD(last_state, kStateNames)};
  return columns;
}

template <>
const std::vector<Column<ChannelRow>>& columns_of<ChannelRow>() {
  using R = ChannelRow;
  static const std::vector<Column<R>> columns = {
      INDEX(process),         HOST(row.process),      INDEX(communicator), SMALL(rank),
      SMALL(channel),         COUNT(proxy_ops),       COUNT(steps),        COUNT(kernels),
      COUNT(sent_bytes),      COUNT(received_bytes),  COUNT(gpu_wait_ns),  COUNT(peer_wait_ns),
      COUNT(network_ns),      COUNT(receive_wait_ns), COUNT(flush_ns),     COUNT(phases),
      COUNT(initial_sync_ns), COUNT(compute_ns),      COUNT(final_sync_ns)};
  return columns;
}

template <>
const std::vector<Column<CriticalPathRow>>& columns_of<CriticalPathRow>() {
  using R = CriticalPathRow;
  static const std::vector<Column<R>> columns = {
      KEY("piece"),       INDEX(step),      WORD(part, kPathPartNames),
      INDEX(operation),   INDEX(match),     INDEX(communicator),
      TEXT(func),         INDEX(process),   HOST(row.process),
      SMALL(rank),        TIME(start_ns),   TIME(end_ns),
      COUNT(duration_ns), COUNT(excess_ns), COUNT(gain_ns)};
  return columns;
}

template <>
const std::vector<Column<PathGainRow>>& columns_of<PathGainRow>() {
  using R = PathGainRow;
  static const std::vector<Column<R>> columns = {
      LOCKSTEP_COLUMN("kind", Varchar,
                      word_of(kGainOfNames, std::size(kGainOfNames), static_cast<size_t>(row.of))),
      INDEX(process),
      LOCKSTEP_COLUMN("of_host", Varchar, text_or_null(run, row.host)),
      INDEX(communicator),
      COUNT(on_path_ns),
      COUNT(excess_ns),
      COUNT(gain_ns)};
  return columns;
}

template <>
const std::vector<Column<ExpectedTimeRow>>& columns_of<ExpectedTimeRow>() {
  using R = ExpectedTimeRow;
  static const std::vector<Column<R>> columns = {
      INDEX(communicator),
      TEXT(func),
      TEXT(algo),
      TEXT(proto),
      COUNT(size_bytes),
      COUNT(operations),
      COUNT(slow),
      COUNT(median_ns),
      COUNT(expected_ns),
      LOCKSTEP_COLUMN(
          "expected_by", Varchar,
          word_of(kExpectedByNames, std::size(kExpectedByNames), static_cast<size_t>(row.by)))};
  return columns;
}

template <>
const std::vector<Column<PeerTrafficRow>>& columns_of<PeerTrafficRow>() {
  using R = PeerTrafficRow;
  static const std::vector<Column<R>> columns = {
      INDEX(communicator), INDEX(process),
      HOST(row.process),   SMALL(rank),
      SMALL(peer),         LOCKSTEP_COLUMN("peer_host", Varchar, host_of(run, row.peer_process)),
      COUNT(sends),        COUNT(receives),
      COUNT(sent_bytes),   COUNT(received_bytes)};
  return columns;
}

template <>
const std::vector<Column<EventRow>>& columns_of<EventRow>() {
  using R = EventRow;
  static const std::vector<Column<R>> columns = {
      ID(event_id),   ID(parent_id), INDEX(process), HOST(row.process),      INDEX(communicator),
      SMALL(rank),    SMALL(peer),   COUNT(tid),     WORD(kind, kKindNames), TEXT(name),
      SMALL(channel), COUNT(states), TIME(start_ns), TIME(stop_ns),          TIME(gpu_ns)};
  return columns;
}

template <>
const std::vector<Column<ProxyStepRow>>& columns_of<ProxyStepRow>() {
  using R = ProxyStepRow;
  static const std::vector<Column<R>> columns = {
      ID(event_id),          ID(proxy_op_id),    ID(operation_id),
      INDEX(process),        HOST(row.process),  INDEX(communicator),
      SMALL(rank),           SMALL(peer),        SMALL(channel),
      SMALL(is_send),        SMALL(step),        COUNT(retries),
      COUNT(size_bytes),     TIME(start_ns),     TIME(stop_ns),
      TIME(gpu_wait_ns),     TIME(peer_wait_ns), TIME(network_ns),
      TIME(receive_wait_ns), TIME(flush_ns),     WORD(last_state, kStateNames)};
  return columns;
}

}  // namespace lockstep::analysis
