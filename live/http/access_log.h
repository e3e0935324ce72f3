// Who asked for what: a line for each request, with its user, never with a token, a query or a body. The
// file has mode 0600; at 16 MiB it is renamed to *.1, in place of the one before. Any thread.
#pragma once

#include <cstdio>
#include <mutex>
#include <string>

#include "live/http/http.h"

namespace lockstep::serve {

class AccessLog {
 public:
  // An empty path: none is kept.
  explicit AccessLog(std::string path);
  ~AccessLog();
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  bool is_open() const { return file_ != nullptr; }
  void add(const HttpRequest& request, const std::string& user, const HttpResponse& response,
           int64_t took_ns);

 private:
  std::string path_;
  std::mutex mutex_;  // guards file_
  std::FILE* file_ = nullptr;
};

}  // namespace lockstep::serve
