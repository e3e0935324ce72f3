#include "plugin/gpu/cuda_clock.h"

#include <gtest/gtest.h>

#include "plugin/gpu/gpu_snapshots.h"

namespace lockstep::plugin {
namespace {

TEST(CudaClock, SaysWhichLibraryIsMissing) {
  const Result<CudaClock> opened = CudaClock::open("/nowhere/libcupti.so");
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.message().find("/nowhere/libcupti.so"), std::string::npos);
}

TEST(CudaClock, RefusesALibraryWithoutItsFunctions) {
  const Result<CudaClock> opened = CudaClock::open("libm.so.6");
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.message().find("lacks a function"), std::string::npos);
}

TEST(GpuSnapshots, GiveOneNoticeHoweverOftenAGpuIsAdded) {
  int notices = 0;
  GpuSnapshots snapshots;
  GpuSnapshotOptions options;
  options.cupti_path = "/nowhere/libcupti.so";
  options.log = [&notices](const std::string&) { ++notices; };
  snapshots.add_current_gpu(options, 1);
  snapshots.add_current_gpu(options, 2);
  snapshots.stop();
  EXPECT_EQ(notices, 1);
}

}  // namespace
}  // namespace lockstep::plugin
