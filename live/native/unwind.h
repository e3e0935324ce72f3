// The frames of a copied thread: unwound with libdw by the call frame information of the files that
// the process maps, and named from their symbols and debug information. Files are opened as the process
// sees them, also in a container. Works on the copy alone: the process runs meanwhile. Any thread;
// several take turns, because libdw is not made for more. Where a file has no call frame information
// the stack ends early, and says nothing wrong.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "live/native/frame.h"
#include "live/native/thread_copy.h"
#include "lockstep/status.h"

namespace lockstep::live {

// Names by file and offset, shared by all processes of a host, most of which run the same files.
class SymbolCache {
 public:
  // (build id, or the file's path where it has none; offset in the module)
  using Place = std::pair<std::string, uint64_t>;
  const Frame* find(const Place& place) const;
  const Frame& add(Place place, Frame frame);
  size_t size() const { return frames_.size(); }

 private:
  std::map<Place, Frame> frames_;
};

class Unwinder {
 public:
  // Reads which files the process maps. The error says why there will be no frames.
  static Result<std::unique_ptr<Unwinder>> open(pid_t pid, SymbolCache* symbols);
  ~Unwinder();
  Unwinder(const Unwinder&) = delete;
  Unwinder& operator=(const Unwinder&) = delete;

  // Innermost first; at most kMostFrames.
  std::vector<Frame> unwind(const ThreadCopy& copy);

 private:
  struct Session;
  explicit Unwinder(std::unique_ptr<Session> session);
  std::unique_ptr<Session> session_;
};

}  // namespace lockstep::live
