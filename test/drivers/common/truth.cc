#include "test/drivers/common/truth.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace lockstep::driver {

std::string truth_path(const std::string& file, int rank, int world) {
  if (file.empty()) return file;
  const size_t place = file.find("%r");
  if (place != std::string::npos) return std::string(file).replace(place, 2, std::to_string(rank));
  return world == 1 ? file : file + "." + std::to_string(rank);
}

Result<TruthFile> TruthFile::open(const std::string& path) {
  TruthFile truth;
  if (path.empty()) return truth;
  truth.file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  if (truth.file_ < 0) return Status::error("cannot create " + path + ": " + strerror(errno));
  return truth;
}

TruthFile& TruthFile::operator=(TruthFile&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

TruthFile::~TruthFile() {
  if (file_ >= 0) close(file_);
}

void TruthFile::line(const std::string& json) {
  if (file_ < 0) return;
  const std::string text = json + "\n";
  if (write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    fprintf(stderr, "truth file: %s; the rest is not written\n", strerror(errno));
    close(std::exchange(file_, -1));
  }
}

void TruthFile::run(const RunFacts& facts) {
  std::string what = "null";
  int culprit = -1;
  for (const auto& [name, rank] : facts.injections) {
    if (rank < 0) continue;
    what = std::string("\"") + name + "\"";
    culprit = rank;
  }
  char text[640];
  snprintf(text, sizeof text,
           "{\"type\":\"run\",\"rank\":%d,\"world\":%d,\"pid\":%d,\"host\":\"%s\",\"seed\":%lu,"
           "\"injected\":%s,"
           "\"culprit\":%d,\"at\":%d,\"late_us\":%.3f%s}",
           facts.rank, facts.world, getpid(), facts.host.c_str(), facts.seed, what.c_str(), culprit,
           facts.at, facts.late_us, facts.more.c_str());
  line(text);
}

void TruthFile::called(const CalledOperation& operation) {
  if (file_ < 0) return;
  char text[512];
  snprintf(text, sizeof text,
           "{\"type\":\"call\",\"id\":%lu,\"comm_id\":\"%016lx\",\"rank\":%d,\"function\":\"%s\","
           "\"ordinal\":%lu,"
           "\"size_bytes\":%lu,\"iteration\":%d,\"late_rank\":%d,\"late_us\":%.3f,\"realtime_ns\":%"
           "ld,\"raw_ns\":%ld}",
           operation.id, operation.comm_id, operation.rank_in_comm, operation.function,
           operation.ordinal, operation.size_bytes, operation.iteration, operation.late_rank,
           operation.late_us, operation.called.realtime_ns, operation.called.raw_ns);
  line(text);
}

void TruthFile::done(uint64_t operation_id, Instant when, uint64_t kernel_ns) {
  if (file_ < 0) return;
  const std::string kernel = kernel_ns == 0 ? "" : ",\"kernel_ns\":" + std::to_string(kernel_ns);
  line("{\"type\":\"done\",\"id\":" + std::to_string(operation_id) +
       ",\"realtime_ns\":" + std::to_string(when.realtime_ns) +
       ",\"raw_ns\":" + std::to_string(when.raw_ns) + kernel + "}");
}

Status append_counts(const std::string& path, int rank, const CallCounts& counts) {
  if (path.empty()) return Status();
  FILE* file = fopen(path.c_str(), "a");
  if (file == nullptr) return Status::error("cannot append to " + path + ": " + strerror(errno));
  CountSum sum;
  sum.add(counts);
  fprintf(file, "{\"type\":\"counts\",\"rank\":%d,%s}\n", rank, sum.json_members().c_str());
  fclose(file);
  return Status();
}

}  // namespace lockstep::driver
