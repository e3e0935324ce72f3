#include "cli/show/diagnosis_json.h"

#include <string>
#include <variant>
#include <vector>

#include "analysis/judge/places.h"
#include "analysis/report/report_json.h"
#include "analysis/say/evidence.h"
#include "analysis/say/findings.h"
#include "analysis/say/times.h"
#include "analysis/tables/labels.h"
#include "base/clock_ns.h"
#include "base/json.h"
#include "live/asker/answers_json.h"

namespace lockstep::cli {
namespace {

using analysis::Finding;
using analysis::RunTables;

// Unknown numbers are null.
void put_number(JsonFields& out, const char* key, int64_t number, bool known) {
  if (known) {
    out.number(key, number);
  } else {
    out.raw(key, "null");
  }
}

void put_place(JsonFields& out, const RunTables& run, const analysis::Place& place) {
  const analysis::ProcessRow& process = run.processes[place.process];
  out.object([&] {
    put_number(out, "rank", place.rank, place.rank >= 0);
    put_number(out, "world_rank", place.world_rank, place.world_rank >= 0);
    out.string("host", run.text(process.host));
    out.number("pid", process.pid);
    if (place.gpu != 0)
      out.string("gpu", run.text(place.gpu));
    else
      out.raw("gpu", "null");
  });
}

void put_consequence(JsonFields& out, const RunTables& run,
                     const analysis::Consequence& consequence) {
  const analysis::OperationRow& row = run.operations[consequence.operation];
  const analysis::CommunicatorRow& comm = run.communicators[row.communicator];
  out.object([&] {
    out.string("comm", analysis::hex_text(comm.comm_id));
    out.string("comm_name", run.text(comm.name));
    out.string("op", run.text(row.func));
    out.number("ordinal", row.ordinal);
    const auto rank = [&](int32_t number) { out.writer().Int(number); };
    out.list("ranks", consequence.waiting, rank);
    out.list("held_up", consequence.held, rank);
    out.string("text", clause(run, consequence));
  });
}

// The hosts of the culprits; of a machine that is overloaded, itself.
std::vector<std::string> hosts_of(const RunTables& run, const Finding& finding,
                                  const std::vector<analysis::Place>& places) {
  const auto* machine = std::get_if<analysis::MachineFacts>(&finding.facts);
  if (machine != nullptr) return {run.text(machine->host)};
  std::vector<std::string> hosts;
  for (const analysis::Place& place : places)
    hosts.push_back(run.text(run.processes[place.process].host));
  return hosts;
}

// The culprits once more, by what people look for: one entry of each list for each of them.
void put_culprits(JsonFields& out, const RunTables& run, const Finding& finding) {
  const std::vector<analysis::Place> places = culprits_of(run, finding);
  const auto number_or_null = [&](int64_t number, bool known) {
    if (known)
      out.writer().Int64(number);
    else
      out.writer().Null();
  };
  out.list("culprits_at", places,
           [&](const analysis::Place& place) { put_place(out, run, place); });
  out.list("culprits_world", places, [&](const analysis::Place& place) {
    number_or_null(place.world_rank, place.world_rank >= 0);
  });
  out.strings("hosts", hosts_of(run, finding, places));
  out.list("pids", places, [&](const analysis::Place& place) {
    out.writer().Uint(run.processes[place.process].pid);
  });
  out.list("gpus", places, [&](const analysis::Place& place) {
    if (place.gpu != 0)
      out.writer().String(run.text(place.gpu).c_str());
    else
      out.writer().Null();
  });
}

// With the other end, where it is known.
void put_path(JsonFields& out, const RunTables& run, const Finding& finding,
              const analysis::PathFacts& path) {
  out.boolean("one_of", path.both_ends);
  if (!path.replayed) return;
  out.number("gain_ns", path.gain_ns);
  out.number("gain_share", path.gain_share);
  std::vector<analysis::Place> peers;
  if (path.peer >= 0) peers = places_of(run, finding.communicator, {path.peer});
  std::vector<std::string> hosts;
  for (const analysis::Place& peer : peers)
    hosts.push_back(run.text(run.processes[peer.process].host));
  if (path.peer_host != 0) hosts.push_back(run.text(path.peer_host));
  out.list("peers_at", peers, [&](const analysis::Place& place) { put_place(out, run, place); });
  out.strings("peer_hosts", hosts);
  if (!hosts.empty())
    out.string("direction", path.both_ways ? "both" : is_of_receiver(path.side) ? "from" : "to");
}

void put_lateness(JsonFields& out, const analysis::LateFacts& late) {
  out.number("gain_ns", late.gain_ns);
  out.number("gain_share", late.gain_share);
  out.string("when", analysis::kWhenLateNames[static_cast<unsigned>(late.pattern.when)]);
  out.boolean("assumed_clocks", late.assumed_clocks);
  out.boolean("gain_at_most", late.gain_at_most);
}

// Numbers that are not known are left out, and names that do not apply.
void put_why(JsonFields& out, const analysis::WhyFacts& facts) {
  out.string("why", name_of(facts.why));
  out.list("why_evidence", facts.seen, [&](const analysis::WhySeen& seen) {
    out.object([&] {
      const auto what = static_cast<unsigned>(seen.what);
      out.string("what", analysis::kWhatNames[what]);
      out.number("amount", seen.amount);
      if (seen.of != 0) out.number("of", seen.of);
      out.string("unit", analysis::kWhatUnits[what]);
      out.number("others", seen.others);
      if (!seen.where.empty()) out.string("where", seen.where);
      if (seen.port != 0) out.number("port", seen.port);
    });
  });
}

void put_machine(JsonFields& out, const analysis::MachineFacts& machine) {
  out.number("gain_ns", machine.gain_ns);
  out.number("gain_share", machine.gain_share);
  out.number("processors", machine.processors);
  out.number("runnable", machine.runnable);
  out.number("wait_ns", machine.wait_ns);
  out.number("late_ns", machine.late_ns);
  out.number("serving_wait_ns", machine.serving_wait_ns);
}

void put_slower(JsonFields& out, const RunTables& run, const analysis::SlowerFacts& facts) {
  const analysis::ExpectedTimeRow& worst = facts.slower.worst().row;
  out.number("gain_ns", facts.slower.gain_ns);
  out.number("gain_share", facts.gain_share);
  out.number("factor", facts.factor);
  out.number("took_ns", facts.slower.worst().took_ns);
  out.number("expected_ns", worst.expected_ns);
  out.string("expected_by", analysis::kExpectedByNames[static_cast<unsigned>(worst.by)]);
  out.number("size_bytes", worst.size_bytes);
  out.string("algo", run.text(worst.algo));
  out.string("proto", run.text(worst.proto));
  out.number("slow", worst.slow);
  out.number("operations", worst.operations);
  out.number("kinds", facts.slower.kinds.size());
}

void put_finding(JsonFields& out, const RunTables& run, const Finding& finding) {
  analysis::CommunicatorRow comm;
  if (finding.communicator != analysis::kNoRow) comm = run.communicators[finding.communicator];
  const auto rank = [&](int32_t number) { out.writer().Int(number); };
  out.object([&] {
    out.string("kind", name_of(finding.kind));
    out.string("comm", analysis::hex_text(comm.comm_id));
    out.string("comm_name", run.text(comm.name));
    out.string("op", run.text(finding.func));
    out.number("ordinal", finding.ordinal);
    out.list("ranks", finding.ranks, rank);
    out.list("culprits", finding.culprits, rank);
    if (const auto* stall = std::get_if<analysis::StallFacts>(&finding.facts))
      out.boolean("one_of", stall->one_of);
    if (const auto* sizes = std::get_if<analysis::SizeFacts>(&finding.facts))
      out.boolean("one_of", sizes->one_of);
    put_culprits(out, run, finding);
    out.number("since_s", finding.since_s);
    out.number("confidence", finding.confidence);
    out.list("consequences", finding.consequences, [&](const analysis::Consequence& consequence) {
      put_consequence(out, run, consequence);
    });
    if (const auto* path = std::get_if<analysis::PathFacts>(&finding.facts))
      put_path(out, run, finding, *path);
    if (const auto* late = std::get_if<analysis::LateFacts>(&finding.facts))
      put_lateness(out, *late);
    if (const auto* machine = std::get_if<analysis::MachineFacts>(&finding.facts))
      put_machine(out, *machine);
    if (const auto* slower = std::get_if<analysis::SlowerFacts>(&finding.facts))
      put_slower(out, run, *slower);
    if (finding.why) put_why(out, *finding.why);
    out.strings("evidence", evidence_lines(run, finding));
    out.string("text", sentence(run, finding));
  });
}

}  // namespace

std::string diagnosis_json(const Judged& judged, const live::Answers* answers,
                           const analysis::KeptFindings& kept) {
  const RunTables& run = *judged.run;
  const std::vector<Finding>& findings = judged.judgement.findings;
  const std::vector<std::string>& not_known = judged.not_known;
  JsonFields out;
  out.writer().SetMaxDecimalPlaces(6);
  out.object([&] {
    if (answers != nullptr) {
      put_answers(*answers, &out);
      out.number("taken_unix_ns", real_now_ns());
    }
    if (judged.escalation) {
      out.object("escalation", [&] {
        out.number("seconds", judged.escalation->seconds);
        out.number("processes", judged.escalation->processes);
      });
    }
    out.list("findings", findings, [&](const Finding& finding) { put_finding(out, run, finding); });
    out.strings("not_known", not_known);
    out.string("gpu_times", gpu_times_sentence(run));
    analysis::put_kept_findings(kept, &out);
  });
  return std::string(out.text());
}

}  // namespace lockstep::cli
