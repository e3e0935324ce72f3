// One node's share of work that is spread over a SLURM job's nodes (`--srun`), host by host: each
// node takes hosts that it sees and nobody has taken yet, so that it does not matter whether all of
// the run lies on a common file system or each node has its own host's, nor which nodes these are.
// `parts` is a folder on a file system that all of them see; a host is taken by making a folder in
// it.
#pragma once

#include <string>

#include "analysis/export/export.h"

namespace lockstep::analysis {

struct NodeShare {
  std::string directory;  // the run
  std::string parts;
  size_t node = 0, nodes = 1;  // where this one begins among the hosts
  unsigned threads = 0;        // 0 = as many as the machine has
};

// Every process of the taken hosts, as PARTS/UID.part; load_run() merges them.
Status share_of_processes(const NodeShare& share);

// The streamed tables of the taken hosts, in the format's own way (ExportFormat::write_host), once
// all parts are there.
Status share_of_details(const NodeShare& share, const std::string& format);

}  // namespace lockstep::analysis
