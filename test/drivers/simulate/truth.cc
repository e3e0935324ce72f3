#include "test/drivers/simulate/truth.h"

#include <cinttypes>
#include <cstdio>

#include "base/json.h"
#include "test/drivers/simulate/host_clock.h"
#include "test/drivers/simulate/suspects.h"

namespace lockstep::simulate {
namespace {

// What the run is longer for a fault, as a share of the run.
double cost(int64_t with_ns, int64_t without_ns) {
  return with_ns <= 0 ? 0
                      : static_cast<double>(with_ns - without_ns) / static_cast<double>(with_ns);
}

const char* when_text(When when) {
  constexpr const char* kTexts[] = {"always",  "often",    "bursts", "start",
                                    "growing", "periodic", "once"};
  return kTexts[static_cast<size_t>(when)];
}

void put_calls(JsonFields* out, const dumper::CallCounts& calls) {
  for (unsigned call = 0; call < kCalls; ++call) {
    out->object(kCallNames[call], [&] {
      for (unsigned kind = 0; kind < kKinds; ++kind) {
        const uint64_t count = calls[dumper::call_cell(kind, static_cast<Call>(call))];
        if (count != 0) out->number(kKindNames[kind], count);
      }
    });
  }
}

// The operation of a fault that happens once, as the rank should have called it.
void put_operation(JsonFields* out, const Truth& truth, const Fault& fault) {
  const Program& program = truth.programs[static_cast<size_t>(fault.rank)];
  const Part& part = program.parts[program.instructions[fault.instruction].first_part];
  const Communicator& communicator = truth.layout.communicators[part.communicator];
  out->number("step", fault.first_step);
  char id[24];
  snprintf(id, sizeof id, "0x%" PRIx64, communicator.id);
  out->string("comm_id", id);
  out->string("comm", communicator.name);
  out->string("function", kFunctionNames[static_cast<size_t>(part.function)]);
  const auto put_rank = [out](int rank) { out->writer().Int(rank); };
  out->list("members", communicator.ranks, put_rank);
  const std::vector<int> suspects = suspects_of(fault, truth.layout, truth.programs, truth.events);
  if (!suspects.empty()) out->list("suspects", suspects, put_rank);
}

void put_fault(JsonFields* out, const Truth& truth, size_t index) {
  const Fault& fault = truth.faults[index];
  const Layout& layout = truth.layout;
  out->object([&] {
    out->string("class", fault.info->name);
    out->string("when", when_text(fault.info->when));
    out->number("size", fault.size);
    out->list("ranks", fault.ranks, [out](int rank) { out->writer().Int(rank); });
    std::vector<std::string> hosts;
    for (int rank : fault.ranks) {
      const std::string host = host_name(layout.host_of(rank));
      if (hosts.empty() || hosts.back() != host) hosts.push_back(host);
    }
    out->strings("hosts", hosts);
    if (fault.peer >= 0) out->number("peer", fault.peer);
    if (!fault.network_ranks.empty())
      out->list("network_ranks", fault.network_ranks, [out](int rank) { out->writer().Int(rank); });
    out->boolean("structure", is_structure(fault.info->harm));
    if (hangs(fault.info->harm)) {
      put_operation(out, truth, fault);
    } else if (!is_structure(fault.info->harm)) {
      out->number("from_step", fault.first_step);
      out->boolean("shown", is_shown(fault, truth.events));
      if (truth.outcome.hung()) return;
      out->number("cost", cost(truth.outcome.end_ns, truth.without_ns[index]));
      out->number("cost_alone", cost(truth.alone_ns[index], truth.healthy_ns));
    }
  });
}

}  // namespace

std::string truth_json(const Truth& truth) {
  JsonFields out;
  out.object([&] {
    const RunOptions& options = truth.options;
    out.number("seed", options.seed);
    out.number("ranks", options.ranks);
    out.number("hosts", truth.layout.hosts);
    out.number("tp", truth.layout.options.tensor);
    out.number("pp", truth.layout.options.stages);
    out.number("dp", truth.layout.data);
    out.number("ep", truth.layout.options.experts);
    out.string("schedule", options.schedule);
    out.number("steps", options.steps);
    out.string("events", options.events);
    out.strings("noise", options.noise);
    if (truth.noisy_host >= 0) out.string("noisy_host", host_name(truth.noisy_host));
    out.boolean("hung", truth.outcome.hung());
    out.number("run_ns", truth.outcome.end_ns);
    out.number("healthy_ns", truth.healthy_ns);
    std::vector<size_t> indices(truth.faults.size());
    for (size_t i = 0; i < indices.size(); ++i) indices[i] = i;
    out.list("faults", indices, [&](size_t index) { put_fault(&out, truth, index); });
    out.object("counts", [&] {
      out.number("processes", truth.counts.processes);
      out.number("communicators", truth.counts.communicators);
      put_calls(&out, truth.counts.calls);
    });
  });
  return std::string(out.text()) + "\n";
}

}  // namespace lockstep::simulate
