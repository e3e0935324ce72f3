#include "clocksync/solve/edge_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "test/simulation/simulated_edge.h"

namespace lockstep::clocksync {
namespace {

// Coverage of one scenario: how often the interval missed the truth or there was none.
struct Coverage {
  uint64_t queries = 0, outside = 0, unanswered = 0;
};

Coverage cover(const SimulatedScenario& scenario, uint64_t seed, int queries) {
  const SimulatedEdge edge = simulate(scenario, seed);
  const EdgeModel model = EdgeModel::solve(edge.bounds, EdgeOptions());
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int64_t> instant(model.from_raw_ns(), model.to_raw_ns());
  Coverage coverage;
  for (int i = 0; i < queries; ++i) {
    const int64_t x = instant(random);
    const int64_t truth = edge.truth(x);
    const auto answer = model.at(x);
    ++coverage.queries;
    coverage.unanswered += !answer;
    coverage.outside += answer && (truth < answer->lo_ns || truth > answer->hi_ns);
  }
  return coverage;
}

TEST(EdgeGuarantee, TheIntervalHoldsTheTruthInOverAMillionQueriesOfAllScenarios) {
  uint64_t queries = 0;
  for (const SimulatedScenario& scenario : all_scenarios()) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const Coverage c = cover(scenario, seed, 3'000);
      queries += c.queries;
      EXPECT_EQ(c.outside, 0u) << scenario.name << ", seed " << seed;
      EXPECT_EQ(c.unanswered, 0u) << scenario.name << ", seed " << seed;
    }
  }
  EXPECT_GE(queries, 1'000'000u);
}

TEST(EdgeGuarantee, TheTestItselfNoticesAReceiveStampThatIsEarly) {
  SimulatedScenario broken = all_scenarios().front();
  broken.a_to_b.floor_ns = -500;
  const Coverage c = cover(broken, 1, 1'000);
  EXPECT_GT(c.outside, 500u);
}

SimulatedScenario idle() { return all_scenarios().front(); }

EdgeModel solve(const SimulatedScenario& scenario) {
  return EdgeModel::solve(simulate(scenario, 1).bounds, EdgeOptions());
}

TEST(EdgeModel, TheEstimateIsTheMidpointAndErrsByHalfOfTheAsymmetry) {
  SimulatedScenario s = idle();
  s.a_to_b.extra_ns = 20'000;
  const SimulatedEdge edge = simulate(s, 1);
  const EdgeModel model = EdgeModel::solve(edge.bounds, EdgeOptions());

  const int64_t x = model.from_raw_ns() + 10'000'000'000;
  EXPECT_NEAR(double(model.at(x)->estimate_ns() - edge.truth(x)), 10'000, 100);
  EXPECT_NEAR(double(model.at(x)->width_ns()), 24'000, 200);
}

TEST(EdgeModel, SaysWhereAClockSteppedAndByHowMuch) {
  SimulatedScenario s = idle();
  s.clock_b.steps = {{7'700'000'000, 250'000}};
  const SimulatedEdge edge = simulate(s, 1);
  const EdgeModel model = EdgeModel::solve(edge.bounds, EdgeOptions());

  ASSERT_EQ(model.breaks().size(), 1u);
  const EdgeBreak& found = model.breaks()[0];
  EXPECT_TRUE(found.proved);
  const int64_t step_x = edge.clock_a.at(7'700'000'000);
  EXPECT_LE(found.from_raw_ns, step_x);
  EXPECT_GE(found.to_raw_ns, step_x);
  EXPECT_LE(found.to_raw_ns - found.from_raw_ns, 500'000'000);
  EXPECT_NEAR(double(found.jump_ns), 250'000, 5'000);
  EXPECT_FALSE(model.assumption_relaxed());
}

TEST(EdgeModel, FindsAStepThatIsAContradictionAlsoWhereItSuspectsNone) {
  SimulatedScenario s = idle();
  s.clock_b.steps = {{7'700'000'000, 250'000}};
  EdgeOptions options;
  const EdgeModel looked = EdgeModel::solve(simulate(s, 1).bounds, options);
  options.suspects_steps = false;
  const EdgeModel found = EdgeModel::solve(simulate(s, 1).bounds, options);
  ASSERT_EQ(found.breaks().size(), 1u);
  EXPECT_EQ(found.breaks()[0].from_raw_ns, looked.breaks()[0].from_raw_ns);
  EXPECT_EQ(found.floor_width_ns(), looked.floor_width_ns());
}

TEST(EdgeModel, IsTheSameWhereItSuspectsNoStepAndThereIsNone) {
  for (const SimulatedScenario& s : all_scenarios()) {
    if (!s.clock_a.steps.empty() || !s.clock_b.steps.empty()) continue;
    const EdgeBounds bounds = simulate(s, 1).bounds;
    EdgeOptions options;
    const EdgeModel looked = EdgeModel::solve(bounds, options);
    options.suspects_steps = false;
    const EdgeModel model = EdgeModel::solve(bounds, options);
    EXPECT_EQ(model.floor_width_ns(), looked.floor_width_ns()) << s.name;
    for (int64_t x = model.from_raw_ns(); x <= model.to_raw_ns(); x += 100'000'000) {
      const auto a = model.at(x), b = looked.at(x);
      ASSERT_EQ(a.has_value(), b.has_value()) << s.name;
      if (!a) continue;
      EXPECT_EQ(a->lo_ns, b->lo_ns) << s.name;
      EXPECT_EQ(a->hi_ns, b->hi_ns) << s.name;
    }
  }
}

TEST(EdgeModel, GoesByTheChordThatItGives) {
  size_t chords = 0;
  for (const SimulatedScenario& s : all_scenarios()) {
    const EdgeModel model = solve(s);
    for (int64_t x = model.from_raw_ns() - 1; x <= model.to_raw_ns() + 1; x += 33'333'333) {
      const EdgeModel::Chord chord = model.chord_at(x);
      if (!chord.has(x)) continue;
      ++chords;
      const int64_t last = std::min(x + 50'000'000, model.to_raw_ns());
      for (int64_t near = x; near <= last && chord.has(near); near += 7'000'000) {
        ASSERT_TRUE(model.at(near)) << s.name;
        EXPECT_EQ(chord.at(near).lo_ns, model.at(near)->lo_ns) << s.name;
        EXPECT_EQ(chord.at(near).hi_ns, model.at(near)->hi_ns) << s.name;
      }
    }
  }
  EXPECT_GT(chords, 1'000u);
}

TEST(EdgeModel, FindsNoBreakWhereThereIsNone) {
  for (const SimulatedScenario& s : all_scenarios()) {
    if (!s.clock_a.steps.empty() || !s.clock_b.steps.empty()) continue;
    EXPECT_TRUE(solve(s).breaks().empty()) << s.name;
    EXPECT_FALSE(solve(s).assumption_relaxed()) << s.name;
  }
}

TEST(EdgeModel, RelaxesTheDeclaredDriftOpenlyWhenTheClocksBreakIt) {
  SimulatedScenario s = idle();
  s.trains_per_s = 100;
  s.a_to_b.floor_ns = s.b_to_a.floor_ns = 100;
  s.a_to_b.jitter_ns = s.b_to_a.jitter_ns = 10;
  s.clock_b.wander_ppm = 0.6;
  s.clock_b.wander_period_s = 6;  // 628 ns/s^2
  const EdgeModel model = solve(s);

  EXPECT_TRUE(model.assumption_relaxed());
  EXPECT_GT(model.d_ns_s2(), 100);
  EXPECT_LE(model.d_ns_s2(), 1000);
}

TEST(EdgeModel, GivesNoAnswerWhenOneDirectionIsMissing) {
  SimulatedEdge edge = simulate(idle(), 1);
  edge.bounds.lower.clear();
  const EdgeModel model = EdgeModel::solve(edge.bounds, EdgeOptions());
  EXPECT_FALSE(model.at(edge.bounds.upper.front().x_raw_ns).has_value());
}

TEST(EdgeModel, AnswersBeyondTheLastPacketWithAWideningInterval) {
  const SimulatedEdge edge = simulate(idle(), 1);
  EdgeOptions options;
  const int64_t last = edge.bounds.upper.back().x_raw_ns;
  options.to_raw_ns = last + 30'000'000'000;
  const EdgeModel model = EdgeModel::solve(edge.bounds, options);

  const auto near = model.at(last + 1'000'000'000), far = model.at(last + 30'000'000'000);
  ASSERT_TRUE(near && far);
  EXPECT_LT(near->width_ns(), far->width_ns());
  EXPECT_LE(far->lo_ns, edge.truth(last + 30'000'000'000));
  EXPECT_GE(far->hi_ns, edge.truth(last + 30'000'000'000));
  EXPECT_FALSE(model.at(last + 31'000'000'000).has_value());
}

}  // namespace
}  // namespace lockstep::clocksync
