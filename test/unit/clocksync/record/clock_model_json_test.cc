#include "clocksync/record/clock_model_json.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace lockstep::clocksync {
namespace {

ClockModel some_model() {
  ClockModel model;
  model.reference = "a";
  model.d_ns_s2 = 300;
  model.assumptions = {"D"};
  HostModel a, b;
  a.host = "a";
  a.knots = {{0, 0, 0, 0, false}, {1'000'000'000, 0, 0, 0, false}};
  b.host = "b";
  b.source = OffsetSource::Probes;
  b.weak = true;
  b.knots = {{5'000, 4'000, 3'900, 4'100, true},
             {1'000'005'000, 3'004'000, 3'003'900, 3'004'100, false}};
  model.hosts = {a, b};
  EdgeReport edge;
  edge.a = "a";
  edge.b = "b";
  edge.residual_ns = -12.5;
  edge.steps_proved = 1;
  edge.asymmetric_path = true;
  model.edges = {edge};
  model.faults = {{"clock_step", "a-b"}};
  return model;
}

TEST(ClockModelJson, SurvivesItsFileUnchanged) {
  const ClockModel model = some_model();
  char name[] = "/tmp/lockstep-model-XXXXXX";
  close(mkstemp(name));
  const std::string path = name;
  ASSERT_TRUE(save_clock_model(model, path).ok());

  const Result<ClockModel> loaded = load_clock_model(path);
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  const ClockModel& again = loaded.value();
  EXPECT_EQ(again.reference, model.reference);
  EXPECT_EQ(again.d_ns_s2, model.d_ns_s2);
  EXPECT_EQ(again.assumptions, model.assumptions);
  ASSERT_EQ(again.faults.size(), 1u);
  EXPECT_EQ(again.faults[0].detail, "a-b");
  ASSERT_EQ(again.edges.size(), 1u);
  EXPECT_EQ(again.edges[0].residual_ns, -12.5);
  EXPECT_EQ(again.edges[0].steps_proved, 1u);
  EXPECT_TRUE(again.edges[0].asymmetric_path);
  ASSERT_EQ(again.hosts.size(), 2u);
  EXPECT_TRUE(again.hosts[1].weak);
  EXPECT_EQ(again.hosts[1].source, OffsetSource::Probes);
  EXPECT_TRUE(again.hosts[1].knots[0].step_after);
  for (const int64_t x : {0, 7'000, 500'000'000, 2'000'000'000}) {
    const auto before = model.to_global(model.hosts[1], x);
    const auto after = again.to_global(again.hosts[1], x);
    EXPECT_EQ(after->ns, before->ns);
    EXPECT_EQ(after->lo_ns, before->lo_ns);
    EXPECT_EQ(after->hi_ns, before->hi_ns);
  }
  std::remove(path.c_str());
}

TEST(ClockModelJson, NamesTheKeyThatIsWrong) {
  char name[] = "/tmp/lockstep-model-XXXXXX";
  close(mkstemp(name));
  const std::string path = name;
  std::ofstream(path) << R"({"type":"clock_model","v":1,"reference":7})";
  const Result<ClockModel> damaged = load_clock_model(path);
  ASSERT_FALSE(damaged.ok());
  EXPECT_NE(damaged.message().find("'reference'"), std::string::npos) << damaged.message();
  std::remove(path.c_str());
  EXPECT_FALSE(load_clock_model(path).ok());
}

TEST(ClockModel, TheReferencesClockIsExactHoweverFarFromItsKnots) {
  ClockModel model;
  model.reference = "a";
  for (const char* name : {"a", "b"}) {
    HostModel& host = model.hosts.emplace_back();
    host.host = name;
    host.source = OffsetSource::Probes;
    host.knots = {{0, 0, 0, 0, false}};
  }
  constexpr int64_t kAnHourLater = 3'600'000'000'000;
  EXPECT_EQ(model.to_global(model.hosts[0], kAnHourLater)->lo_ns, kAnHourLater);
  EXPECT_LT(model.to_global(model.hosts[1], kAnHourLater)->lo_ns, kAnHourLater - 1'000'000'000);
}

}  // namespace
}  // namespace lockstep::clocksync
