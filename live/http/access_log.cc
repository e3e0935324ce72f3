#include "live/http/access_log.h"

#include <cinttypes>

#include "base/clock_ns.h"
#include "base/own_file.h"
#include "base/system.h"

namespace lockstep::serve {
namespace {

constexpr long kMostBytes = 16 << 20;

// Of what somebody else chose: short, and without what would end or hide a line.
std::string printable(const std::string& text) {
  constexpr size_t kMost = 200;
  std::string out = text.substr(0, kMost);
  for (char& letter : out) {
    if (letter <= ' ' || letter >= 0x7f) letter = '?';
  }
  return out.empty() ? "-" : out;
}

}  // namespace

AccessLog::AccessLog(std::string path) : path_(std::move(path)) {
  if (!path_.empty()) file_ = open_own_file_to_append(path_);
}
AccessLog::~AccessLog() {
  if (file_ != nullptr) std::fclose(file_);
}

void AccessLog::add(const HttpRequest& request, const std::string& user,
                    const HttpResponse& response, int64_t took_ns) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (file_ == nullptr) return;
  std::fprintf(file_, "%s %s %s %s %s %d %zu bytes %" PRId64 " ms\n",
               utc_text("%Y-%m-%dT%H:%M:%SZ", real_now_ns()).c_str(), request.remote.c_str(),
               printable(user).c_str(), printable(request.method).c_str(),
               printable(request.path).c_str(), response.status, response.body.size(),
               took_ns / 1'000'000);
  std::fflush(file_);
  if (std::ftell(file_) < kMostBytes) return;
  std::fclose(file_);
  std::rename(path_.c_str(), (path_ + ".1").c_str());
  file_ = open_own_file_to_append(path_);
}

}  // namespace lockstep::serve
