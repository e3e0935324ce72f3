#include "hostload/sample/kernel_text.h"

#include <gtest/gtest.h>

namespace lockstep::hostload {
namespace {

TEST(KernelText, ANumberEndsWhereItsDigitsEnd) {
  EXPECT_EQ(leading_number("4:"), 4);
  EXPECT_EQ(leading_number("0"), 0);
  EXPECT_EQ(leading_number("9223372036854775807"), INT64_MAX);
}

TEST(KernelText, WhatIsNoNumberIsNotSampled) {
  for (const char* word : {"", "max", "-1", " 4", "N/A"})
    EXPECT_EQ(leading_number(word), kNotSampled) << word;
}

TEST(KernelText, ANumberTooLargeIsTheLargest) {
  EXPECT_EQ(leading_number("18446744073709551615"), INT64_MAX);
  EXPECT_EQ(leading_number(std::string(100'000, '9')), INT64_MAX);
  EXPECT_EQ(scaled(INT64_MAX / 10, 1000), INT64_MAX);
  EXPECT_EQ(thousandths("99999999999999999999.5"), INT64_MAX);
}

TEST(KernelText, ALineIsFoundByItsWholeFirstWord) {
  EXPECT_EQ(number_after("oom 3\noom_kill 7\n", "oom_kill"), 7);
  EXPECT_EQ(number_after("MemTotal:       16 kB", "MemTotal:"), 16);
  EXPECT_EQ(number_after("oom_kill_disable 0\n", "oom_kill"), kNotSampled);
  EXPECT_EQ(number_after("", "oom_kill"), kNotSampled);
}

TEST(KernelText, AnAverageIsInThousandths) {
  EXPECT_EQ(thousandths("0.20"), 200);
  EXPECT_EQ(thousandths("12.345678"), 12345);
  EXPECT_EQ(thousandths("7"), 7000);
  EXPECT_EQ(thousandths("x"), kNotSampled);
}

TEST(KernelText, AListOfProcessorsIsCounted) {
  EXPECT_EQ(count_of_list("0-3,8\n"), 5);
  EXPECT_EQ(count_of_list("7"), 1);
  EXPECT_EQ(count_of_list("3-1"), kNotSampled);
  EXPECT_EQ(count_of_list("0-9223372036854775807,0-9223372036854775807"), kNotSampled);
  EXPECT_EQ(count_of_list(""), kNotSampled);
}

}  // namespace
}  // namespace lockstep::hostload
