// Python stacks out of made-up memories, for the layout of each version: whole ones, and what is left of them when
// they are cut, bent into circles or overwritten.
#include "live/stacks/python_stack.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "test/unit/live/stacks/fake_python.h"
#include "test/unit/live/stacks/published_offsets.h"

namespace lockstep::live {
namespace {

using Named = std::pair<std::string, PythonLayout>;

std::vector<Named> layouts() {
  std::vector<Named> all;
  for (const uint32_t minor : {9U, 10U, 11U, 12U})
    all.emplace_back("3." + std::to_string(minor), *table_layout({3U << 24 | minor << 16, false}));
  all.emplace_back("3.13", published_layout(published_3_13()).value());
  all.emplace_back("3.14", published_layout(published_3_14()).value());
  return all;
}

PythonStack read(const FakePython& python, uint64_t state) {
  FakeWatch watch;
  return read_python_stack(python.memory, python.layout, state, &watch);
}

// "function file:line", an entry with a star.
std::vector<std::string> words(const PythonStack& stack) {
  std::vector<std::string> words;
  for (const PythonFrame& frame : stack.frames)
    words.push_back((frame.entry ? "*" : "") + frame.function + " " + frame.file + ":" +
                    std::to_string(frame.line));
  return words;
}
using Words = std::vector<std::string>;

// main runs step, which C calls back into leaf.
struct ThreeDeep {
  uint64_t main, step, leaf, state;
};
ThreeDeep three_deep(FakePython* python) {
  ThreeDeep made{};
  made.main = python->entry(python->code("main", 10), 0, 7);
  made.step = python->frame(python->code("step", 20), made.main, 3, 0);
  made.leaf = python->entry(python->code("leaf", 30), made.step, 0);
  made.state = python->thread(made.leaf);
  return made;
}

TEST(PythonStack, IsReadForTheLayoutOfEachVersion) {
  for (const auto& [version, layout] : layouts()) {
    FakePython python(layout);
    const PythonStack stack = read(python, three_deep(&python).state);

    EXPECT_EQ(stack.state, PythonStackState::Whole) << version;
    // Before 3.11 each Python frame is run by a C evaluator of its own.
    const std::string star = layout.frames == FrameKind::Objects ? "*" : "";
    EXPECT_EQ(words(stack),
              (Words{"*main main.py:17", star + "step step.py:23", "*leaf leaf.py:30"}))
        << version;
  }
}

TEST(PythonStack, IsEmptyInAThreadThatRunsNoPython) {
  for (const auto& [version, layout] : layouts()) {
    FakePython python(layout);
    const PythonStack stack = read(python, python.thread(0));
    EXPECT_EQ(stack.state, PythonStackState::Whole) << version;
    EXPECT_TRUE(stack.frames.empty()) << version;
  }
}

TEST(PythonStack, GivesNothingOfAChainInACircle) {
  for (const auto& [version, layout] : layouts()) {
    FakePython python(layout);
    const ThreeDeep made = three_deep(&python);
    python.memory.put(made.main + layout.frame.back, made.leaf);
    const PythonStack stack = read(python, made.state);
    EXPECT_EQ(stack.state, PythonStackState::Torn) << version;
    EXPECT_TRUE(stack.frames.empty()) << version;
    EXPECT_LT(python.memory.reads, 100U) << version;
  }
}

TEST(PythonStack, GivesNothingOfAChainThatLeadsNowhere) {
  for (const auto& [version, layout] : layouts()) {
    FakePython python(layout);
    const ThreeDeep made = three_deep(&python);
    python.memory.put(made.step + layout.frame.back, uint64_t{0xdeadbeef});
    const PythonStack stack = read(python, made.state);
    EXPECT_EQ(stack.state, PythonStackState::Torn) << version;
    EXPECT_TRUE(stack.frames.empty()) << version;
  }
}

TEST(PythonStack, EndsBeforeTheFrameWhoseCodeIsNone) {
  for (const auto& [version, layout] : layouts()) {
    FakePython python(layout);
    const ThreeDeep made = three_deep(&python);
    python.memory.put(made.step + layout.frame.code, python.text("a string"));
    const PythonStack stack = read(python, made.state);
    EXPECT_EQ(stack.state, PythonStackState::Torn) << version;
    EXPECT_EQ(words(stack), Words{"*main main.py:17"}) << version;
  }
}

TEST(PythonStack, BelievesNoInstructionOutsideOfItsFunction) {
  for (const auto& [version, layout] : layouts()) {
    for (const uint64_t n : {uint64_t{8}, uint64_t{1'000'000}}) {
      FakePython python(layout);
      const uint64_t frame = python.entry(python.code("main", 10), 0, n);
      const PythonStack stack = read(python, python.thread(frame));
      EXPECT_EQ(stack.state, PythonStackState::Torn) << version;
      EXPECT_TRUE(stack.frames.empty()) << version;
    }
  }
}

TEST(PythonStack, HasNoLineWhereAThreadRunsACopyOfTheCode) {
  PublishedOffsets published = published_3_14();
  published[2] = 1;  // free-threaded
  FakePython python(published_layout(published).value());
  const uint64_t frame = python.entry(python.code("main", 10), 0, 1'000'000);
  const PythonStack stack = read(python, python.thread(frame));
  EXPECT_EQ(stack.state, PythonStackState::Whole);
  EXPECT_EQ(words(stack), Words{"*main main.py:0"});
}

TEST(PythonStack, TakesTheTagOffTheCodeOf314) {
  FakePython python(published_layout(published_3_14()).value());
  const ThreeDeep made = three_deep(&python);
  uint64_t code = 0;
  ASSERT_TRUE(python.memory.read_value(made.leaf + python.layout.frame.code, &code));
  python.memory.put(made.leaf + python.layout.frame.code, code | 1);
  EXPECT_EQ(words(read(python, made.state)).back(), "*leaf leaf.py:30");
}

TEST(PythonStack, KeepsTheInnerFramesOfADeepRecursion) {
  for (const auto& [version, layout] : layouts()) {
    FakePython python(layout);
    const uint64_t code = python.code("deep", 1);
    uint64_t frame = python.entry(python.code("main", 10), 0, 0);
    for (size_t n = 0; n < kPythonFrames; ++n) frame = python.frame(code, frame, n % 8, 0);
    const PythonStack stack = read(python, python.thread(frame));
    EXPECT_EQ(stack.state, PythonStackState::Cut) << version;
    ASSERT_EQ(stack.frames.size(), kPythonFrames) << version;
    EXPECT_EQ(stack.frames.front().function, "deep") << version;
    EXPECT_EQ(stack.frames.back().line, 8) << version;
  }
}

// The leaf is another at each look, as in a thread that runs on.
class RestlessWatch : public ThreadWatch {
 public:
  explicit RestlessWatch(std::function<void(int)> at_look) : at_look_(std::move(at_look)) {}
  void begin() override { at_look_(looks_++); }
  bool moved() override { return true; }

 private:
  std::function<void(int)> at_look_;
  int looks_ = 0;
};

TEST(PythonStack, GivesTheOuterFramesThatStayedWhileTheThreadRan) {
  for (const auto& [version, layout] : layouts()) {
    FakePython python(layout);
    const ThreeDeep made = three_deep(&python);
    const uint64_t other = python.code("other", 40);
    RestlessWatch watch([&](int look) {
      if (look == 2) python.memory.put(made.leaf + python.layout.frame.code, other);
    });
    const PythonStack stack = read_python_stack(python.memory, layout, made.state, &watch);
    EXPECT_EQ(stack.state, PythonStackState::Torn) << version;
    ASSERT_EQ(stack.frames.size(), 2U) << version;
    EXPECT_EQ(stack.frames[1].function, "step") << version;
  }
}

TEST(PythonStack, GivesNothingThatWasReadOnlyOnce) {
  for (const auto& [version, layout] : layouts()) {
    FakePython python(layout);
    const ThreeDeep made = three_deep(&python);
    RestlessWatch watch([&](int look) {
      if (look == 1) python.memory.put(made.main + python.layout.frame.back, uint64_t{1});
    });
    EXPECT_TRUE(read_python_stack(python.memory, layout, made.state, &watch).frames.empty())
        << version;
  }
}

bool is_utf8(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at++]);
    const int more = lead < 0x80 ? 0 : lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : -1;
    if (more < 0 || lead > 0xf4) return false;
    for (int n = 0; n < more; ++n)
      if (at >= text.size() || (static_cast<unsigned char>(text[at++]) & 0xc0) != 0x80)
        return false;
  }
  return true;
}

void expect_bounded(const FakePython& python, uint64_t state, const std::string& what) {
  python.memory.reads = 0;
  const PythonStack stack = read(python, state);
  EXPECT_LE(stack.frames.size(), kPythonFrames) << what;
  EXPECT_LT(python.memory.reads, 100'000U) << what;
  for (const PythonFrame& frame : stack.frames) {
    EXPECT_TRUE(is_utf8(frame.function) && is_utf8(frame.file)) << what;
    EXPECT_GE(frame.line, 0) << what;
  }
}

TEST(PythonStack, SurvivesMemoryThatEndsAnywhere) {
  for (const auto& [version, layout] : layouts()) {
    FakePython python(layout);
    const ThreeDeep made = three_deep(&python);
    const std::string whole = python.memory.data;
    for (size_t size = 0; size < whole.size(); ++size) {
      python.memory.data = whole.substr(0, size);
      expect_bounded(python, made.state, version + " cut at " + std::to_string(size));
    }
  }
}

TEST(PythonStack, SurvivesAnythingWrittenAnywhere) {
  for (const auto& [version, layout] : layouts()) {
    FakePython python(layout);
    const ThreeDeep made = three_deep(&python);
    const std::string whole = python.memory.data;
    std::mt19937_64 random(7);  // NOLINT: the same each time
    for (int round = 0; round < 3000; ++round) {
      python.memory.data = whole;
      for (uint64_t n = random() % 6; n < 6; ++n) {
        const uint64_t word = random() % (whole.size() / 8) * 8;
        // A pointer into the memory, a small number, or any bits at all.
        const uint64_t values[] = {FakeMemory::kBase + random() % whole.size(), random() % 64,
                                   random(),
                                   FakeMemory::kBase + random() % (whole.size() / 16) * 16};
        python.memory.put(FakeMemory::kBase + word, values[random() % 4]);
      }
      expect_bounded(python, made.state, version + " round " + std::to_string(round));
    }
  }
}

}  // namespace
}  // namespace lockstep::live
