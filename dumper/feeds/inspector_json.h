// The Inspector's JSON lines, from our records as they come: same file name, same grammar (normal
// and verbose; inspector_line.h), every operation. Each round begins, for each communicator that
// has lines in it, with a dump_stats line; when the last communicator ends or the process does,
// that line also tells the totals, and what is missing. Fed by the live view on the dump thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "dumper/feeds/inspector_line.h"
#include "dumper/feeds/inspector_options.h"
#include "dumper/feeds/line_file.h"
#include "dumper/feeds/live_sink.h"

namespace lockstep::dumper {

struct ProcessName {
  std::string host;
  uint32_t pid = 0;
};

class InspectorJson : public LiveSink {
 public:
  // Says a sentence when writing fails, and when it works again.
  using Log = std::function<void(const std::string&)>;

  InspectorJson(const InspectorOptions& options, ProcessName process, Log log);

  void done(const DoneOperation& operation, const ChunkClock& clock) override;
  void end_round(const LiveState& state) override;
  const std::string& path() const { return file_.path(); }

 private:
  struct CommTally {
    InspectorTotals coll, p2p;
    bool news = false;               // since its totals were told
    InspectorDump dump;              // what its next dump_stats says
    std::vector<std::string> lines;  // of this round
  };

  bool left_out(const DoneOperation& operation, InspectorTotals* totals) const;
  InspectorContext context_of(const CommFacts& comm, uint64_t timestamp_us) const;
  void put_round(const CommFacts& facts, bool final, CommTally* comm);

  InspectorOptions options_;
  ProcessName process_;
  Log log_;
  LineFile file_;
  std::map<uint32_t, CommTally> tallies_;
  size_t waiting_bytes_ = 0;    // in `lines`
  uint64_t lines_dropped_ = 0;  // there was no room for them
  bool failing_ = false;
};

}  // namespace lockstep::dumper
