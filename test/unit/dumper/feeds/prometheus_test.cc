#include <gtest/gtest.h>

#include "dumper/feeds/prometheus_metrics.h"

namespace lockstep::dumper {
namespace {

TEST(PrometheusLabels, NameSizesAsTheInspectorDoes) {
  EXPECT_EQ(message_size_label(0), "0B");
  EXPECT_EQ(message_size_label(1), "1-2B");
  EXPECT_EQ(message_size_label(1023), "1023-1024B");
  EXPECT_EQ(message_size_label(8192), "8-9KB");
  EXPECT_EQ(message_size_label((uint64_t{5} << 30) - 1), "4-5GB");
}

TEST(PrometheusLabels, EscapeWhatTheTextFormatReserves) {
  EXPECT_EQ(label("comm_name", "a\"b\\c\nd"), "comm_name=\"a\\\"b\\\\c\\nd\"");
}

TEST(WindowedMeans, CoverTheWindowBeforeAsWell) {
  WindowedMeans means;
  means.add(2, 10);
  means.next_window();
  means.add(8, 30);
  EXPECT_DOUBLE_EQ(means.mean_bandwidth_gbs(), 4);
  EXPECT_DOUBLE_EQ(means.mean_exec_us(), 20);
  means.next_window();
  EXPECT_DOUBLE_EQ(means.mean_exec_us(), 30);
  means.next_window();
  EXPECT_TRUE(means.empty());
}

TEST(GpuMetrics, StopGrowingAndSaySo) {
  GpuMetrics metrics;
  Operation op;
  CommFacts comm;
  DoneOperation done;
  done.op = &op;
  done.comm = &comm;
  done.func = "AllReduce";
  for (int i = 0; i < 3000; ++i) metrics.add(done, label("comm_name", std::to_string(i)));
  EXPECT_EQ(metrics.operations.size(), 1000u);
  EXPECT_EQ(metrics.series_left_out, 2000u);
}

}  // namespace
}  // namespace lockstep::dumper
