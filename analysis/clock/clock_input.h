// What the hosts' probers recorded, read from the `<host>.clock` files of a run directory (and one
// level of sub-directories): the hosts, and per pair of hosts every bound on their offset. The
// first step of aligning a run; offline, one thread. Damage is reported in `notes`, one sentence
// each.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "clocksync/solve/edge_solver.h"
#include "lockstep/clock_record.h"
#include "lockstep/status.h"

namespace lockstep::analysis {

struct ClockHost {
  std::string first_interface;  // by which its prober probes; empty: not known
  std::string boot_id, clock_namespace;
  std::optional<int64_t> real_minus_raw_ns;  // from its first snapshot
  bool has_file = false;                     // false: only named by others, or only in the segments
  std::vector<ClockFault> faults;            // as its prober reported them
};

// A pair of hosts and the interface that their probes took. For edges a < b; for what was heard, the
// host and its neighbor.
struct ProbedPath {
  std::string a, b;
  std::string interface = {};  // empty: the first of each

  bool operator<(const ProbedPath& other) const {
    return std::tie(a, b, interface) < std::tie(other.a, other.b, other.interface);
  }
};

// What a host's prober says of one neighbor.
struct HeardOfPeer {
  uint64_t windows = 0, ok_windows = 0;  // window_stats lines, and those with status ok
  uint64_t received = 0, lost = 0;       // packets
  std::set<int64_t> seconds;             // of the host's raw clock in which it heard the neighbor
};

struct ClockInput {
  std::map<std::string, ClockHost> hosts;
  // Offsets are clock of b - clock of a.
  std::map<ProbedPath, clocksync::EdgeBounds> edges;
  std::map<ProbedPath, HeardOfPeer> heard;
  double d_ns_s2 = 100;  // the largest declared by any host
  double rho_ppm = 200;
  std::optional<int64_t> asymmetry_ns;  // likewise, when any host declared one
  std::vector<std::string> notes;
  std::vector<std::string> damage;  // of the notes: what cannot be read

  void add_damage(const std::string& sentence) {
    notes.push_back(sentence);
    damage.push_back(sentence);
  }
};

// No file at all is not an error: the hosts may be aligned by their collectives.
Result<ClockInput> read_clock_files(const std::string& directory);

}  // namespace lockstep::analysis
