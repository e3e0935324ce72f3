// Where the ranks of a job stand, from the rows of the question `progress`: which communicator is
// whose, how far each rank is behind the first, and which ranks stand alike. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::cli {

// An operation that a rank issued, began or ended last, or waits in.
struct Mark {
  bool known = false;
  std::string func;
  int64_t ordinal = -1;
  uint64_t collectives = 0;  // begun on the communicator by then
  int64_t age_ns = 0;
  bool same_place(const Mark& other) const {
    return known == other.known && func == other.func && ordinal == other.ordinal &&
           collectives == other.collectives;
  }
};

struct RankStanding {
  std::string host;
  uint32_t pid = 0;
  int64_t rank = 0;
  Mark issued, started, ended, waiting;
  uint64_t in_flight = 0, ended_operations = 0, ended_bytes = 0;
  enum class Stage { Called, Kernel, Network } stage = Stage::Called;  // of what it waits in
  // Collectives behind the rank that has issued, begun, ended most.
  uint64_t behind_issued = 0, behind_started = 0, behind_ended = 0;
  std::string json;  // its row, with the three behind it
};

struct CommStandings {
  std::string id, name;
  int64_t ranks = 0;
  std::vector<RankStanding> standings;  // laggards first, then by rank
};

// The communicators with the most ranks first.
std::vector<CommStandings> standings_of(const std::string& rows);
// Their rows again, laggards first: a JSON array.
std::string standings_json(const std::vector<CommStandings>& comms);
// For people: each communicator with its ranks, those that stand alike in one line, `most_lines` at
// most for each.
std::string standings_text(const std::vector<CommStandings>& comms, size_t most_lines);

// "AllReduce #30", "-" where there is none.
std::string mark_text(const Mark& mark);
// Name and id, or the id alone.
std::string comm_title(const CommStandings& comm);

}  // namespace lockstep::cli
