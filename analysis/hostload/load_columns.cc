#include "analysis/hostload/load_columns.h"

namespace lockstep::analysis {
namespace {

Value number(int64_t value) { return {value != kNoTime, value, 0, {}}; }
Value real(double value) { return {value >= 0, 0, value, {}}; }
Value text(std::string_view value) { return {!value.empty(), 0, 0, value}; }

}  // namespace

// Each line is a column; R is the row's type.
#define LOCKSTEP_COLUMN(name, type, value)                                      \
  {                                                                             \
    name, ColumnType::type,                                                     \
        [](const RunTables&, const R& row, uint64_t) -> Value { return value; } \
  }
#define NUMBER(member) LOCKSTEP_COLUMN(#member, BigInt, number(int64_t{row.member}))
#define INDEX(member) \
  LOCKSTEP_COLUMN(#member, BigInt, (Value{row.member != kNoRow, int64_t{row.member}, 0, {}}))
#define REAL(member) LOCKSTEP_COLUMN(#member, Double, real(row.member))
#define TEXT(member) LOCKSTEP_COLUMN(#member, Varchar, text(row.member))

template <>
const std::vector<Column<ThreadLoadRow>>& columns_of<ThreadLoadRow>() {
  using R = ThreadLoadRow;
  static const std::vector<Column<R>> columns = {INDEX(process),
                                                 TEXT(host),
                                                 NUMBER(pid),
                                                 NUMBER(tid),
                                                 TEXT(thread),
                                                 NUMBER(at_ns),
                                                 NUMBER(interval_ns),
                                                 NUMBER(run_ns),
                                                 NUMBER(wait_ns),
                                                 NUMBER(timeslices),
                                                 NUMBER(total_run_ns),
                                                 NUMBER(total_wait_ns),
                                                 NUMBER(voluntary_switches),
                                                 NUMBER(involuntary_switches),
                                                 NUMBER(minor_faults),
                                                 NUMBER(major_faults),
                                                 NUMBER(processor),
                                                 NUMBER(processors_allowed)};
  return columns;
}

template <>
const std::vector<Column<HostLoadRow>>& columns_of<HostLoadRow>() {
  using R = HostLoadRow;
  static const std::vector<Column<R>> columns = {TEXT(host),
                                                 TEXT(cgroup),
                                                 NUMBER(at_ns),
                                                 NUMBER(interval_ns),
                                                 REAL(processors),
                                                 NUMBER(runnable),
                                                 REAL(load1),
                                                 NUMBER(cpu_pressure_ns),
                                                 NUMBER(memory_pressure_ns),
                                                 NUMBER(memory_stall_ns),
                                                 NUMBER(io_pressure_ns),
                                                 NUMBER(io_stall_ns),
                                                 NUMBER(quota_periods),
                                                 NUMBER(throttled_periods),
                                                 NUMBER(throttled_ns),
                                                 NUMBER(memory_limit_hits),
                                                 NUMBER(memory_refaults),
                                                 NUMBER(oom_kills),
                                                 NUMBER(memory_bytes),
                                                 NUMBER(memory_limit_bytes),
                                                 NUMBER(only_pid)};
  return columns;
}

template <>
const std::vector<Column<NicCounterRow>>& columns_of<NicCounterRow>() {
  using R = NicCounterRow;
  static const std::vector<Column<R>> columns = {TEXT(host),    TEXT(device),  NUMBER(port),
                                                 TEXT(counter), NUMBER(at_ns), NUMBER(value),
                                                 NUMBER(change)};
  return columns;
}

template <>
const std::vector<Column<GpuStateRow>>& columns_of<GpuStateRow>() {
  using R = GpuStateRow;
  static const std::vector<Column<R>> columns = {TEXT(host),    TEXT(gpu),     NUMBER(gpu_index),
                                                 TEXT(fact),    NUMBER(at_ns), NUMBER(value),
                                                 NUMBER(change)};
  return columns;
}

}  // namespace lockstep::analysis
