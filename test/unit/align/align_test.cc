#include "analysis/align.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "analysis/run_clock.h"
#include "clocksync/clock_records.h"
#include "clocksync/simulated_edge.h"

namespace lockstep::analysis {
namespace {

using clocksync::ClockRecordWriter;
using clocksync::OffsetSource;
using clocksync::SimulatedEdge;

class RunDir {
 public:
  RunDir() { path_ = mkdtemp(name_); }
  ~RunDir() { (void)!std::system(("rm -rf " + path_).c_str()); }
  const std::string& path() const { return path_; }

  void write(const std::string& host, const std::vector<ClockRecord>& records) const {
    ClockRecordWriter writer = std::move(ClockRecordWriter::open(path_, host).value());
    for (const ClockRecord& record : records) writer.append(record);
    ASSERT_TRUE(writer.flush().ok());
  }

  // What the probers of a and b would have written about their edge.
  void write_edge(const std::string& a, const std::string& b, const SimulatedEdge& edge) const {
    HullBin to_b, to_a;
    to_b.peer = a;
    for (const auto& p : edge.bounds.upper)
      to_b.points.push_back({p.x_raw_ns, p.offset_ns, StampKind::Kernel, 0});
    to_a.peer = b;
    for (const auto& p : edge.bounds.lower) {
      to_a.points.push_back({p.x_raw_ns + p.offset_ns, -p.offset_ns, StampKind::Kernel, 0});
    }
    write(b, {to_b});
    write(a, {to_a});
  }

 private:
  char name_[32] = "/tmp/lockstep-align-XXXXXX";
  std::string path_;
};

ClockHello hello(const std::string& host, const std::string& boot_id,
                 const std::string& clock_namespace) {
  ClockHello h;
  h.host = host;
  h.boot_id = boot_id;
  h.clock_namespace = clock_namespace;
  return h;
}

SimulatedEdge idle_edge() { return simulate(clocksync::all_scenarios().front(), 1); }

TEST(AlignRun, ReadsWhatTheProbersWroteAndGradesIt) {
  const RunDir dir;
  const SimulatedEdge edge = idle_edge();
  dir.write_edge("node-a", "node-b", edge);

  const Result<Alignment> aligned = align_run(dir.path(), AlignOptions());

  ASSERT_TRUE(aligned.ok()) << aligned.message();
  EXPECT_EQ(aligned.value().model.reference, "node-a");
  ASSERT_EQ(aligned.value().pairs.size(), 1u);
  const PairView& pair = aligned.value().pairs[0];
  EXPECT_EQ(pair.a + pair.b, "node-anode-b");
  EXPECT_EQ(pair.source, OffsetSource::Probes);
  EXPECT_LE(pair.offset.lo_ns, edge.truth(pair.at_raw_ns));
  EXPECT_GE(pair.offset.hi_ns, edge.truth(pair.at_raw_ns));
  EXPECT_NEAR(double(pair.offset.estimate_ns - edge.truth(pair.at_raw_ns)), 0, 200);
  for (const HostView& host : aligned.value().hosts) {
    EXPECT_EQ(host.graded.grade, Grade::Good) << host.host << ": " << host.graded.reason;
  }
  EXPECT_TRUE(aligned.value().all_connected());
}

TEST(AlignRun, AnswersForTheInstantThatWasAsked) {
  const RunDir dir;
  const SimulatedEdge edge = idle_edge();
  dir.write_edge("a", "b", edge);
  AlignOptions options;
  options.at_raw_ns = edge.bounds.upper.front().x_raw_ns + 3'000'000'000;

  const Result<Alignment> aligned = align_run(dir.path(), options);

  ASSERT_TRUE(aligned.ok());
  EXPECT_EQ(aligned.value().pairs.at(0).at_raw_ns, *options.at_raw_ns);
  EXPECT_NEAR(double(aligned.value().pairs[0].offset.estimate_ns - edge.truth(*options.at_raw_ns)),
              0, 200);
}

TEST(AlignRun, TakesContainersOfOneHostForOneClockButNotTimeNamespaces) {
  const RunDir dir;
  ClockSnapshot normal, shifted;
  normal.real_ns = 1'700'000'000'000'000'000;
  normal.raw_ns = 1'000'000'000;
  shifted = normal;
  shifted.raw_ns += 500'000'000'000;
  dir.write("a", {hello("a", "boot-1", "time:[1]"), normal});
  dir.write("b", {hello("b", "boot-1", "time:[1]"), normal});
  dir.write("c", {hello("c", "boot-1", "time:[2]"), shifted});
  dir.write("d", {hello("d", "boot-2", "time:[1]"), normal});

  const Result<Alignment> aligned = align_run(dir.path(), AlignOptions());

  ASSERT_TRUE(aligned.ok());
  const auto& hosts = aligned.value().hosts;
  ASSERT_EQ(hosts.size(), 4u);
  EXPECT_TRUE(hosts[0].connected && hosts[1].connected);
  EXPECT_EQ(hosts[1].source, OffsetSource::SameHost);
  EXPECT_FALSE(hosts[2].connected);
  EXPECT_FALSE(hosts[3].connected);
  EXPECT_EQ(hosts[3].graded.grade, Grade::Bad);
  EXPECT_NE(hosts[3].graded.reason.find("nothing connects"), std::string::npos);
  EXPECT_FALSE(aligned.value().all_connected());
}

TEST(AlignRun, TakesTheLargestDriftThatAnyHostDeclared) {
  const RunDir dir;
  ClockHello declared = hello("a", "boot-1", "");
  declared.config = {{"clock_d_ns_s2", "700", "env"}, {"clock_rho_ppm", "300", "env"}};
  dir.write("a", {declared});
  dir.write_edge("a", "b", idle_edge());

  const Result<Alignment> aligned = align_run(dir.path(), AlignOptions());

  ASSERT_TRUE(aligned.ok());
  EXPECT_EQ(aligned.value().model.d_ns_s2, 700);
  EXPECT_EQ(aligned.value().model.max_slope_ppm, 600);
}

// A run of a and b in which a declares the asymmetry.
Alignment aligned_with(const SimulatedEdge& edge, const char* asymmetry_ns) {
  const RunDir dir;
  ClockHello declared = hello("a", "boot-1", "");
  declared.config = {{"clock_asym_ns", asymmetry_ns, "env"}};
  dir.write("a", {declared});
  dir.write_edge("a", "b", edge);
  auto aligned = align_run(dir.path(), AlignOptions());
  EXPECT_TRUE(aligned.ok());
  return std::move(aligned.value());
}

bool contains(const clocksync::PairOffset& interval, int64_t truth_ns) {
  return interval.lo_ns <= truth_ns && truth_ns <= interval.hi_ns;
}

TEST(AlignRun, NarrowsTheIntervalUnderADeclaredAsymmetryAndKeepsTheGuarantee) {
  const SimulatedEdge edge = idle_edge();
  EXPECT_FALSE(aligned_with(edge, "").pairs.at(0).conditional);
  const Alignment aligned = aligned_with(edge, "300");
  const PairView& pair = aligned.pairs.at(0);
  ASSERT_TRUE(pair.conditional);
  const int64_t truth = edge.truth(pair.at_raw_ns);
  EXPECT_TRUE(contains(pair.offset, truth));
  EXPECT_TRUE(contains(*pair.conditional, truth));
  EXPECT_LT(2 * (pair.conditional->hi_ns - pair.conditional->lo_ns),
            pair.offset.hi_ns - pair.offset.lo_ns);
  EXPECT_EQ(pair.offset.lo_ns, aligned_with(edge, "").pairs.at(0).offset.lo_ns);
}

// 20 us more in one direction, and the declaration of 300 ns is false: only the guarantee holds.
TEST(AlignRun, GuaranteesWithoutTheDeclaration) {
  for (const clocksync::SimulatedScenario& scenario : clocksync::all_scenarios()) {
    if (scenario.name.find("asymm") == std::string::npos) continue;
    const SimulatedEdge edge = simulate(scenario, 1);
    const Alignment falsely = aligned_with(edge, "300"), truly = aligned_with(edge, "40000");
    const PairView& pair = falsely.pairs.at(0);
    const int64_t truth = edge.truth(pair.at_raw_ns);
    EXPECT_TRUE(contains(pair.offset, truth));
    EXPECT_FALSE(contains(*pair.conditional, truth));
    EXPECT_TRUE(contains(*truly.pairs.at(0).conditional, truth));
    return;
  }
  FAIL() << "no scenario with an asymmetric path";
}

TEST(AlignRun, CallsAnEdgeWithOneSilentDirectionBadAndSaysWhy) {
  const RunDir dir;
  SimulatedEdge edge = idle_edge();
  edge.bounds.lower.clear();
  dir.write_edge("a", "b", edge);

  const Result<Alignment> aligned = align_run(dir.path(), AlignOptions());

  ASSERT_TRUE(aligned.ok());
  ASSERT_EQ(aligned.value().edges.size(), 1u);
  EXPECT_EQ(aligned.value().edges[0].grade, Grade::Bad);
  EXPECT_EQ(aligned.value().edges[0].reason, "no packets in one direction");
  EXPECT_FALSE(aligned.value().all_connected());
}

TEST(AlignRun, NamesDamagedLinesAndGoesOn) {
  const RunDir dir;
  dir.write_edge("a", "b", idle_edge());
  std::ofstream(dir.path() + "/b.clock", std::ios::app) << "what is this\n";

  const Result<Alignment> aligned = align_run(dir.path(), AlignOptions());

  ASSERT_TRUE(aligned.ok());
  ASSERT_EQ(aligned.value().notes.size(), 1u);
  EXPECT_NE(aligned.value().notes[0].find("b.clock"), std::string::npos);
  EXPECT_TRUE(aligned.value().all_connected());
}

TEST(AlignRun, RefusesADirectoryWithoutAnythingToAlign) {
  const RunDir dir;
  EXPECT_FALSE(align_run(dir.path(), AlignOptions()).ok());
  EXPECT_FALSE(align_run(dir.path() + "/none", AlignOptions()).ok());
}

// Two hosts, one rank each, whose raw clocks differ by 1 s; 100 all-reduces of 300 us.
void fill_two_hosts(RunTables* tables) {
  RunTables& run = *tables;
  const auto text = [&run](const char* t) { return run.strings.intern(t); };
  for (const char* name : {"a", "b"}) {
    ProcessRow process;
    process.host = text(name);
    run.processes.push_back(process);
  }
  for (uint32_t i = 0; i < 100; ++i) {
    MatchRow match;
    match.func = text("AllReduce");
    match.first_arrival = uint32_t(run.arrivals.size());
    match.arrivals = 2;
    for (uint32_t p = 0; p < 2; ++p) {
      OperationRow operation;
      operation.process = p;
      operation.rank = int32_t(p);
      operation.count = 10;
      operation.state = OpState::Done;
      operation.func = match.func;
      operation.api_start_ns = int64_t(i) * 50'000'000 + 7'000 * p + 1'000'000'000 * p;
      operation.last_progress_ns = operation.api_start_ns + 300'000;
      ArrivalRow arrival;
      arrival.operation = uint32_t(run.operations.size());
      run.arrivals.push_back(arrival);
      run.operations.push_back(operation);
    }
    run.matches.push_back(match);
  }
}

TEST(Causality, CountsWhatIsImpossibleBeforeAndAfterAlignment) {
  RunTables run;
  fill_two_hosts(&run);
  const auto observations = collect_happens_before(run, {"a", "b"});
  ASSERT_EQ(observations.size(), 200u);
  clocksync::ClockModel model;
  model.reference = "a";
  model.hosts.resize(2);
  model.hosts[0].host = "a";
  model.hosts[0].knots = {{0, 0, 0, 0, false}, {10'000'000'000, 0, 0, 0, false}};
  model.hosts[1].host = "b";
  model.hosts[1].knots = {{0, 1'000'000'000, 999'999'000, 1'000'001'000, false},
                          {10'000'000'000, 1'000'000'000, 999'999'000, 1'000'001'000, false}};

  Causality good = check_causality(model, observations);
  EXPECT_EQ(good.checked, 200u);
  EXPECT_EQ(good.violated_before, 100u);
  EXPECT_EQ(good.violated_after, 0u);
  EXPECT_EQ(good.beyond_interval, 0u);

  for (auto& knot : model.hosts[1].knots) knot.theta_ns += 400'000;  // outside its own interval
  const Causality bad = check_causality(model, observations);
  EXPECT_EQ(bad.violated_after, 100u);
  EXPECT_EQ(bad.worst_after_ns, 93'000);
  EXPECT_EQ(bad.beyond_interval, 0u);
}

TEST(RunClock, MovesEveryTimeOfAHostOntoTheReferencesClock) {
  RunTables run;
  fill_two_hosts(&run);
  for (ProcessRow& process : run.processes)
    process.first_ns = 1'000'000'000, process.last_ns = 6'000'000'000;
  const int64_t a_ns = run.operations[40].api_start_ns, b_ns = run.operations[41].api_start_ns;
  ASSERT_EQ(b_ns - a_ns, 1'000'007'000);
  clocksync::ClockModel model;
  model.reference = "a";
  model.hosts.resize(2);
  model.hosts[0].host = "a";
  model.hosts[0].knots = {{0, 0, 0, 0, false}, {10'000'000'000, 0, 0, 0, false}};
  model.hosts[1].host = "b";
  model.hosts[1].knots = {{0, 1'000'000'000, 999'999'000, 1'000'001'500, false},
                          {10'000'000'000, 1'000'000'000, 999'999'000, 1'000'001'500, false}};
  const RunDir dir;
  ASSERT_TRUE(model.save(dir.path() + "/clock_model.json").ok());

  apply_clock_model(dir.path(), &run);

  EXPECT_EQ(run.operations[40].api_start_ns, a_ns);
  EXPECT_EQ(run.operations[41].api_start_ns, a_ns + 7'000);
  EXPECT_EQ(run.operations[41].finish_ns, kNoTime);
  EXPECT_EQ(run.processes[1].aligned, 1);
  EXPECT_EQ(run.processes[1].raw_offset_ns, -1'000'000'000);
  EXPECT_GE(run.processes[1].clock_error_ns, 1'500);
  EXPECT_LE(run.processes[1].clock_error_ns, 1'502);
  EXPECT_EQ(run.clock.size(), 4u);
}

TEST(RunClock, LeavesHostsAloneThatTheModelDoesNotConnect) {
  RunTables run;
  fill_two_hosts(&run);
  clocksync::ClockModel model;
  model.reference = "a";
  model.hosts.resize(2);
  model.hosts[0].host = "a";
  model.hosts[0].knots = {{0, 0, 0, 0, false}};
  model.hosts[1].host = "b";
  model.hosts[1].component = 1;
  const RunDir dir;
  ASSERT_TRUE(model.save(dir.path() + "/clock_model.json").ok());
  const int64_t b_ns = run.operations[41].api_start_ns;

  apply_clock_model(dir.path(), &run);

  EXPECT_EQ(run.operations[41].api_start_ns, b_ns);
  EXPECT_EQ(run.processes[0].aligned, 1);
  EXPECT_EQ(run.processes[1].aligned, 0);
}

}  // namespace
}  // namespace lockstep::analysis
