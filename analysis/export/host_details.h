// What export_host() leaves of one host beside the tables themselves: how many rows they have, for
// the summary of the export that puts the hosts together.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/output_file.h"
#include "lockstep/status.h"

namespace lockstep::analysis {

using RowCounts = std::map<std::string, uint64_t>;  // by table

Status write_row_counts(const std::string& folder, const std::string& host, const RowCounts& rows);
// Adds to `rows`. A host whose file is not there was not exported.
Status add_row_counts(const std::string& folder, const std::string& host, RowCounts* rows);

// The bytes of a file, at the end of another.
Status append_file(const std::string& from, OutputFile* to);

}  // namespace lockstep::analysis
