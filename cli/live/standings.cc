#include "cli/live/standings.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/say/words.h"
#include "base/json.h"
#include "base/number_ranges.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

// More than any job has: what a host says is not to cost memory.
constexpr int64_t kMostRanks = 1 << 20;

Mark mark_in(const json::Value& row, const char* name) {
  Mark mark;
  const json::Value* value = member(row, name);
  if (value == nullptr || !value->IsObject()) return mark;
  mark.known = true;
  mark.func = text_member(*value, "func");
  mark.ordinal = int_member(*value, "ordinal", -1);
  mark.collectives = uint_member(*value, "collectives");
  mark.age_ns = int_member(*value, "age_ns");
  return mark;
}

RankStanding::Stage stage_of(const json::Value& row) {
  const json::Value* waiting = member(row, "waiting");
  if (waiting == nullptr) return RankStanding::Stage::Called;
  if (uint_member(*waiting, "open_network") != 0) return RankStanding::Stage::Network;
  return uint_member(*waiting, "open_kernels") != 0 ? RankStanding::Stage::Kernel
                                                    : RankStanding::Stage::Called;
}

RankStanding standing_in(const json::Value& row) {
  RankStanding standing;
  standing.host = text_member(row, "host");
  standing.pid = static_cast<uint32_t>(uint_member(row, "pid"));
  standing.rank = int_member(row, "rank", -1);
  standing.issued = mark_in(row, "issued");
  standing.started = mark_in(row, "started");
  standing.ended = mark_in(row, "ended");
  standing.waiting = mark_in(row, "waiting");
  standing.in_flight = uint_member(row, "in_flight");
  standing.ended_operations = uint_member(row, "ended_operations");
  standing.ended_bytes = uint_member(row, "ended_bytes");
  standing.stage = stage_of(row);
  return standing;
}

std::string row_json(const json::Value& row, const RankStanding& standing) {
  JsonFields out;
  out.object([&] {
    for (const auto& one : row.GetObject()) {
      put_key(&out.writer(), text_of(one.name));
      one.value.Accept(out.writer());
    }
    out.number("behind_issued", standing.behind_issued);
    out.number("behind_started", standing.behind_started);
    out.number("behind_ended", standing.behind_ended);
  });
  return std::string(out.text());
}

void measure_lag(CommStandings* comm) {
  const auto first = [&](Mark RankStanding::*mark) {
    uint64_t most = 0;
    for (const RankStanding& one : comm->standings) most = std::max(most, (one.*mark).collectives);
    return most;
  };
  const uint64_t issued = first(&RankStanding::issued), started = first(&RankStanding::started),
                 ended = first(&RankStanding::ended);
  for (RankStanding& one : comm->standings) {
    one.behind_issued = issued - one.issued.collectives;
    one.behind_started = started - one.started.collectives;
    one.behind_ended = ended - one.ended.collectives;
  }
}

// Whoever has issued least holds the others up; among equals, who has ended least.
bool comes_first(const RankStanding& a, const RankStanding& b) {
  const auto key = [](const RankStanding& one) {
    return std::make_tuple(~one.behind_issued, ~one.behind_started, ~one.behind_ended, one.rank,
                           one.pid);
  };
  return key(a) < key(b);
}

bool alike(const RankStanding& a, const RankStanding& b) {
  return a.issued.same_place(b.issued) && a.started.same_place(b.started) &&
         a.ended.same_place(b.ended) && a.waiting.same_place(b.waiting) &&
         a.in_flight == b.in_flight && (!a.waiting.known || a.stage == b.stage);
}

// Ranks that stand alike, or those that are left.
struct Group {
  std::vector<const RankStanding*> members;
};

std::vector<Group> grouped(const CommStandings& comm) {
  std::vector<Group> groups;
  for (const RankStanding& standing : comm.standings) {
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return alike(*group.members[0], standing);
    });
    if (found != groups.end())
      found->members.push_back(&standing);
    else
      groups.push_back({{&standing}});
  }
  return groups;
}

std::string ranks_of(const std::vector<const RankStanding*>& members) {
  std::vector<int64_t> ranks;
  for (const RankStanding* one : members) ranks.push_back(one->rank);
  return number_ranges(std::move(ranks));
}

// "AllReduce #60 for 2.4 s (network)".
std::string waiting_text(const Group& group) {
  const RankStanding& one = *group.members[0];
  int64_t age_ns = one.waiting.known ? one.waiting.age_ns : one.issued.age_ns;
  for (const RankStanding* other : group.members)
    age_ns = std::max(age_ns, other->waiting.known ? other->waiting.age_ns : other->issued.age_ns);
  if (!one.waiting.known)
    return one.issued.known ? "nothing, " + analysis::duration(age_ns) + " since its last call"
                            : "-";
  constexpr const char* kStages[] = {"not begun", "kernel", "network"};
  return mark_text(one.waiting) + " for " + analysis::duration(age_ns) + " (" +
         kStages[static_cast<unsigned>(one.stage)] + ")";
}

std::string table_of(const CommStandings& comm, size_t most_lines) {
  Table table(
      {{"ranks"}, {"behind", Align::Right}, {"issued"}, {"started"}, {"ended"}, {"waits in"}});
  std::vector<Group> groups = grouped(comm);
  std::vector<const RankStanding*> rest;
  for (; groups.size() > most_lines; groups.pop_back())
    rest.insert(rest.end(), groups.back().members.begin(), groups.back().members.end());
  for (const Group& group : groups) {
    const RankStanding& one = *group.members[0];
    table.add({ranks_of(group.members), std::to_string(one.behind_issued), mark_text(one.issued),
               mark_text(one.started), mark_text(one.ended), waiting_text(group)});
  }
  std::string text = table.text();
  if (!rest.empty()) {
    text += "and " + std::to_string(rest.size()) + " ranks no further behind than " +
            std::to_string(groups.back().members[0]->behind_issued) + ": " + ranks_of(rest) + "\n";
  }
  return text;
}

// Ranks of which no process has answered.
std::string missing_ranks(const CommStandings& comm) {
  std::vector<bool> here(static_cast<size_t>(std::max<int64_t>(0, comm.ranks)));
  for (const RankStanding& one : comm.standings) {
    if (one.rank >= 0 && one.rank < comm.ranks) here[static_cast<size_t>(one.rank)] = true;
  }
  std::vector<int64_t> missing;
  for (size_t rank = 0; rank < here.size(); ++rank) {
    if (!here[rank]) missing.push_back(static_cast<int64_t>(rank));
  }
  return number_ranges(std::move(missing));
}

}  // namespace

std::string mark_text(const Mark& mark) {
  if (!mark.known) return "-";
  return mark.func + (mark.ordinal >= 0 ? " #" + std::to_string(mark.ordinal) : "");
}

std::string comm_title(const CommStandings& comm) {
  return comm.name.empty() ? comm.id : comm.name + " " + comm.id;
}

std::vector<CommStandings> standings_of(const std::string& rows) {
  json::Document document;
  if (!parse_json_list(rows, &document)) return {};
  std::map<std::pair<std::string, int64_t>, CommStandings> by_id;
  std::vector<std::pair<CommStandings*, const json::Value*>> owners;
  for (const json::Value& row : document.GetArray()) {
    if (!row.IsObject()) continue;
    CommStandings& comm = by_id[{text_member(row, "id"), int_member(row, "ranks")}];
    comm.id = text_member(row, "id");
    comm.ranks = std::clamp<int64_t>(int_member(row, "ranks"), 0, kMostRanks);
    if (comm.name.empty()) comm.name = text_member(row, "name");
    comm.standings.push_back(standing_in(row));
    owners.emplace_back(&comm, &row);
  }
  for (auto& [id, comm] : by_id) measure_lag(&comm);
  std::map<CommStandings*, size_t> next;
  for (const auto& [comm, row] : owners) {
    RankStanding& standing = comm->standings[next[comm]++];
    standing.json = row_json(*row, standing);
  }
  std::vector<CommStandings> comms;
  for (auto& [id, comm] : by_id) {
    std::sort(comm.standings.begin(), comm.standings.end(), comes_first);
    comms.push_back(std::move(comm));
  }
  std::stable_sort(comms.begin(), comms.end(), [](const CommStandings& a, const CommStandings& b) {
    return a.standings.size() > b.standings.size();
  });
  return comms;
}

std::string standings_json(const std::vector<CommStandings>& comms) {
  std::string text = "[";
  for (const CommStandings& comm : comms) {
    for (const RankStanding& standing : comm.standings)
      text += (text.size() > 1 ? "," : "") + standing.json;
  }
  return text + "]";
}

std::string standings_text(const std::vector<CommStandings>& comms, size_t most_lines) {
  if (comms.empty()) return "No communicator is open now.\n";
  std::string text;
  size_t idle_count = 0;
  for (const CommStandings& comm : comms) {
    const bool used = std::any_of(comm.standings.begin(), comm.standings.end(),
                                  [](const RankStanding& one) { return one.issued.known; });
    if (!used) {
      ++idle_count;
      continue;
    }
    text += (text.empty() ? "" : "\n") + comm_title(comm) + ", " + std::to_string(comm.ranks) +
            " ranks\n" + table_of(comm, most_lines);
    const std::string missing = missing_ranks(comm);
    if (!missing.empty()) text += "no answer for ranks " + missing + "\n";
  }
  if (idle_count != 0)
    text += (text.empty() ? "" : "\n") + std::to_string(idle_count) +
            (idle_count == 1 ? " communicator has" : " communicators have") +
            " not been used yet\n";
  return text;
}

}  // namespace lockstep::cli
