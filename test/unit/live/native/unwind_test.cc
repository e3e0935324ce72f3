#include "live/native/unwind.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "live/native/dw_library.h"
#include "test/unit/live/native/waiting_process.h"

namespace lockstep::live {
namespace {

class UnwindTest : public TracingTest {
 protected:
  void SetUp() override {
    TracingTest::SetUp();
    if (!IsSkipped() && !dw::library().ok()) GTEST_SKIP() << dw::library().message();
  }
};

TEST_F(UnwindTest, NamesTheFunctionsOfAnotherProcessInTheOrderOfTheirCalls) {
  const Waiting process;
  const ThreadCopy copy = process.copy();
  ASSERT_EQ(copy.outcome, ThreadCopy::Outcome::Copied) << copy.error;

  SymbolCache symbols;
  const auto unwinder = Unwinder::open(process.pid(), &symbols);
  ASSERT_TRUE(unwinder.ok()) << unwinder.message();
  std::vector<std::string> functions;
  for (const Frame& frame : unwinder.value()->unwind(copy)) functions.push_back(frame.function);

  const auto inner = std::find(functions.begin(), functions.end(), "lockstep::live::waits_here");
  ASSERT_NE(inner, functions.end());
  ASSERT_NE(inner + 1, functions.end());
  EXPECT_EQ(inner[1], "lockstep::live::calls_who_waits");
  EXPECT_NE(std::find(inner, functions.end(), "main"), functions.end());
}

TEST_F(UnwindTest, NamesFileAndLine) {
  const Waiting process;
  SymbolCache symbols;
  const auto unwinder = Unwinder::open(process.pid(), &symbols);
  ASSERT_TRUE(unwinder.ok()) << unwinder.message();
  for (const Frame& frame : unwinder.value()->unwind(process.copy())) {
    if (frame.function != "lockstep::live::waits_here") continue;
    EXPECT_NE(frame.file.find("waiting_process.h"), std::string::npos);
    EXPECT_GT(frame.line, 0u);
    return;
  }
  FAIL() << "no frame of waits_here()";
}

TEST_F(UnwindTest, LooksUpEachPlaceOnceForAllProcesses) {
  SymbolCache symbols;
  size_t known = 0;
  for (int i = 0; i < 2; ++i) {
    const Waiting process;
    Unwinder::open(process.pid(), &symbols).value()->unwind(process.copy());
    if (i == 0) known = symbols.size();
  }
  EXPECT_GT(known, 0u);
  EXPECT_EQ(symbols.size(), known);
}

}  // namespace
}  // namespace lockstep::live
