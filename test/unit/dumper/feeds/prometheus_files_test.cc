// Which Prometheus files go when their process is gone.
#include "dumper/feeds/prometheus_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/clock_ns.h"
#include "dumper/feeds/prometheus_metrics.h"
#include "test/unit/dumper/segment/samples.h"

namespace lockstep::dumper {
namespace {

constexpr uint32_t kDeadPid = 0x7ffffff0;  // above any pid_max
constexpr uint64_t kKeepS = 60;
constexpr int64_t kSecondNs = 1'000'000'000;

class PrometheusFiles : public ::testing::Test {
 protected:
  // A file of that process, last written so long ago.
  std::string write(const char* family, const std::string& host, uint32_t pid, int64_t age_s) {
    std::string path = folder_.path() + "/" + prometheus_file_name(family, "GPU-7", pid);
    std::ofstream(path) << "# HELP a b\na{slurm_job_id=\"1\"," << label("node", host) << ","
                        << label("pid", std::to_string(pid)) << ",gpu=\"GPU7\"} 1\n";
    age(path, age_s);
    return path;
  }
  static void age(const std::string& path, int64_t age_s) {
    const time_t then = real_now_ns() / kSecondNs - age_s;
    const timespec times[2] = {{then, 0}, {then, 0}};
    EXPECT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  void remove(uint64_t keep_s) { remove_dead_prometheus_files(folder_.path(), "here", keep_s); }
  static bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

  const TempDir folder_;
};

TEST_F(PrometheusFiles, OfADeadProcessGoWhenTheyAreOldEnough) {
  const std::string inspector = write(kInspectorMetrics, "here", kDeadPid, 61);
  const std::string own = write(kOwnMetrics, "here", kDeadPid, 61);
  const std::string fresh = write(kOwnMetrics, "here", kDeadPid + 1, 30);

  remove(kKeepS);

  EXPECT_FALSE(exists(inspector));
  EXPECT_FALSE(exists(own));
  EXPECT_TRUE(exists(fresh));
}

TEST_F(PrometheusFiles, OfALivingProcessStayHoweverOld) {
  const auto self = static_cast<uint32_t>(::getpid());
  const std::string living = write(kOwnMetrics, "here", self, 0);

  remove(0);

  EXPECT_TRUE(exists(living));
}

TEST_F(PrometheusFiles, GoWhenTheNumberBelongsToALaterProcess) {
  const auto self = static_cast<uint32_t>(::getpid());
  const std::string earlier = write(kOwnMetrics, "here", self, 1'000'000);

  remove(kKeepS);

  EXPECT_FALSE(exists(earlier));
}

TEST_F(PrometheusFiles, OfAnotherMachineStay) {
  const std::string there = write(kOwnMetrics, "there", kDeadPid, 1'000);

  remove(kKeepS);

  EXPECT_TRUE(exists(there));
}

TEST_F(PrometheusFiles, OtherFilesAreNotTouched) {
  const std::string name = "lockstep_metrics_GPU-7-pid" + std::to_string(kDeadPid);
  for (const std::string& other :
       {name + ".prom.txt", name + "x.prom", std::string("node_metrics_GPU-7-pid9.prom")}) {
    const std::string path = folder_.path() + "/" + other;
    std::ofstream(path) << label("node", "here") << "," << label("pid", std::to_string(kDeadPid));
    age(path, 1'000);
    remove(0);
    EXPECT_TRUE(exists(path)) << other;
  }
  const std::string link = folder_.path() + "/" + name + ".prom";
  const std::string target = write(kOwnMetrics, "here", kDeadPid, 1'000) + ".moved";
  ASSERT_EQ(::rename(link.c_str(), target.c_str()), 0);
  ASSERT_EQ(::symlink(target.c_str(), link.c_str()), 0);
  remove(0);
  struct stat facts {};
  EXPECT_EQ(::lstat(link.c_str(), &facts), 0);
}

}  // namespace
}  // namespace lockstep::dumper
