// The columns of the tables of load_rows.h, as analysis/tables/table_columns.h has them of the others.
#pragma once

#include "analysis/hostload/load_rows.h"
#include "analysis/tables/table_columns.h"

namespace lockstep::analysis {

template <>
const std::vector<Column<ThreadLoadRow>>& columns_of<ThreadLoadRow>();
template <>
const std::vector<Column<HostLoadRow>>& columns_of<HostLoadRow>();
template <>
const std::vector<Column<NicCounterRow>>& columns_of<NicCounterRow>();
template <>
const std::vector<Column<GpuStateRow>>& columns_of<GpuStateRow>();

constexpr const char* kThreadLoadTable = "thread_load";
constexpr const char* kHostLoadTable = "host_load";
constexpr const char* kNicCountersTable = "nic_counters";
constexpr const char* kGpuStateTable = "gpu_state";

}  // namespace lockstep::analysis
