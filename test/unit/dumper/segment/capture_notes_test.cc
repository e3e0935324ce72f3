#include "dumper/segment/capture_notes.h"

#include <gtest/gtest.h>

namespace lockstep::dumper {
namespace {

// As EventSwitch puts them into the ledger.
std::string in_ledger(const std::string& note) {
  return "2026-11-21T22:35:12.000001Z " + note + "; recorded from here on: Coll,ProxyOp";
}

NotedCapture capture_of(const std::string& id, uint64_t start_ns, uint64_t stop_ns) {
  return {id, "every:60s:2s", "LOCKSTEP_CAPTURE_EVERY", start_ns, stop_ns};
}

TEST(CaptureNotes, AreReadAsTheyWereWritten) {
  const NotedCapture first = capture_of("every-1800000000", 1000, 3000);
  const NotedCapture second = {"program-1", "program", "the program", 5000, 0};
  const auto read =
      noted_captures({in_ledger("events held"), in_ledger(capture_start_note(first, "")),
                      in_ledger(capture_stop_note(first, " before its end")),
                      in_ledger(capture_start_note(second, " at step 7"))});
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].id, "every-1800000000");
  EXPECT_EQ(read[0].rule, "every:60s:2s");
  EXPECT_EQ(read[0].by, "LOCKSTEP_CAPTURE_EVERY");
  EXPECT_EQ(read[0].start_ns, 1000u);
  EXPECT_EQ(read[0].stop_ns, 3000u);
  EXPECT_EQ(read[1].id, "program-1");
  EXPECT_EQ(read[1].by, "the program");
  EXPECT_EQ(read[1].start_ns, 5000u);
  EXPECT_FALSE(read[1].stop_ns);
}

TEST(CaptureNotes, OfAnIdThatCameTwiceEndTheLatest) {
  const NotedCapture first = capture_of("a", 1, 2), again = capture_of("a", 10, 20);
  const auto read = noted_captures(
      {in_ledger(capture_start_note(first, "")), in_ledger(capture_stop_note(first, "")),
       in_ledger(capture_start_note(again, "")), in_ledger(capture_stop_note(again, ""))});
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].stop_ns, 2u);
  EXPECT_EQ(read[1].stop_ns, 20u);
}

TEST(CaptureNotes, OfOtherThingsAndDamagedOnesAreNone) {
  EXPECT_TRUE(noted_captures({"", " capture ", " capture a", " capture a started",
                              " capture a started, raw_ns ", " capture a started, raw_ns x",
                              " capture a stopped, raw_ns 7", " capture a was armed too late"})
                  .empty());
}

TEST(CaptureNotes, SayWhichKindsAreSamples) {
  ProcessFacts facts;
  facts.activation_mask = 0x0e;
  Counts kept;
  kept.add(make_count_key(1, static_cast<unsigned>(Kind::Coll), Call::Start), 5);
  kept.add(make_count_key(1, static_cast<unsigned>(Kind::KernelCh), Call::Start), 5);
  const std::string began = in_ledger(capture_start_note(capture_of("a", 1, 2), ""));
  EXPECT_TRUE(sample_sentences(facts, kept, {}).empty());
  EXPECT_EQ(sample_sentences(facts, kept, {began}),
            (std::vector<std::string>{
                "Recorded in captures only, so that what rests on them is a sample: KernelCh."}));
  EXPECT_TRUE(sample_sentences(facts, kept, {in_ledger("events set to all by me"), began}).empty())
      << "they may have been wanted for good";
  facts.activation_mask = 0x1f;
  facts.options = {{"dir", "x:1/3", "environment"}, {"events", "step:1/16", "environment"}};
  EXPECT_EQ(sample_sentences(facts, Counts(), {}),
            (std::vector<std::string>{"Recorded of one operation in 16, so that what rests on them "
                                      "is a sample: ProxyStep."}));
}

}  // namespace
}  // namespace lockstep::dumper
