// What real NCCL recorded on one clock, as if each rank were a host of its own that nobody probed: the truth is 0.

#include "analysis/clock/causality.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/load/run.h"
#include "clocksync/solve/graph_solver.h"
#include "dumper/run/run_directory.h"

namespace lockstep::analysis {
namespace {

using clocksync::GraphEdge;

// Tests run from the root of the repository.
std::unique_ptr<RunTables> recorded(const std::string& name) {
  const auto opened = dumper::RunDirectory::open("test/data/recordings/" + name);
  if (!opened.ok()) return nullptr;
  return load_opened(opened.value(), LoadOptions());
}

struct FarthestOff {
  double middle_ms = 0, by_ends_ms = 0;
  double width_ms = 0;  // of the bounds, where they are widest
};

struct Farthest {
  double off_ms = 0, width_ms = 0;
};
Farthest farthest_of(const std::vector<std::string>& names, std::vector<GraphEdge> edges) {
  clocksync::GraphSolver solver(names, std::move(edges), {});
  double farthest_ns = 0, width_ns = 0;
  for (const clocksync::HostModel& host : solver.solve().hosts) {
    EXPECT_FALSE(host.knots.empty()) << host.host;
    for (const clocksync::ClockKnot& knot : host.knots) {
      EXPECT_LE(knot.lo_ns, 0) << host.host;
      EXPECT_GE(knot.hi_ns, 0) << host.host;
      farthest_ns = std::max(farthest_ns, std::fabs(double(knot.theta_ns)));
      width_ns = std::max(width_ns, double(knot.hi_ns - knot.lo_ns));
    }
  }
  return {farthest_ns * 1e-6, width_ns * 1e-6};
}

FarthestOff farthest_off(const std::string& name) {
  const std::unique_ptr<RunTables> run = recorded(name);
  if (run == nullptr) {
    ADD_FAILURE() << name << " cannot be read: run the tests from the repository's root";
    return {};
  }
  std::vector<std::string> names;
  for (size_t p = 0; p < run->processes.size(); ++p) {
    names.push_back("host" + std::to_string(p));
    run->processes[p].host = run->strings.intern(names.back());
  }
  clocksync::CollectiveBounds learned;
  for (const clocksync::HappensBefore& o : collect_happens_before(*run, names)) learned.add(o);
  std::vector<GraphEdge> with_ends, without;
  for (auto& [pair, edge] : learned.take()) {
    GraphEdge graph{pair.first, pair.second, clocksync::OffsetSource::Collectives,
                    clocksync::EdgeModel::solve(edge.bounds, {})};
    without.push_back(graph);
    edge.ends.fit(graph.model.breaks(), 400, graph.model.floor_width_ns());
    graph.ends = std::move(edge.ends);
    with_ends.push_back(std::move(graph));
  }
  const Farthest middle = farthest_of(names, std::move(without));
  return {middle.off_ms, farthest_of(names, std::move(with_ends)).off_ms, middle.width_ms};
}

TEST(RecordedEnds, TellTheOffsetsThreeTimesBetterThanTheMiddleOfTheBounds) {
  for (const char* const name : {"gpu/healthy", "gpu/straggler", "training/moe_slow_sends"}) {
    const FarthestOff off = farthest_off(name);
    EXPECT_LT(3 * off.by_ends_ms, off.middle_ms) << name;
  }
}

TEST(RecordedEnds, TellTheOffsetsToLessThanAThirdOfAMillisecond) {
  for (const char* const name :
       {"gpu/healthy", "gpu/pytorch_late", "gpu/pytorch_slow_gpu", "training/ddp_checkpoint",
        "training/ddp_late", "training/moe_slow_sends", "training/pp_healthy", "training/pp_late",
        "training/pp_slow_gpu"})
    EXPECT_LT(farthest_off(name).by_ends_ms, 0.3) << name;
}

// By the calls alone, which run ahead of the GPUs, the bounds of these are 3.7 to 9.9 ms wide.
TEST(RecordedKernels, BoundTheOffsetsFarMoreCloselyThanTheCallsDo) {
  for (const char* const name : {"gpu/pytorch_healthy", "gpu/pytorch_late", "gpu/pytorch_slow_gpu",
                                 "training/ddp_checkpoint"})
    EXPECT_LT(farthest_off(name).width_ms, 0.75) << name;
}

}  // namespace
}  // namespace lockstep::analysis
