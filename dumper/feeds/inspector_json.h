// The Inspector's JSON lines, from our records: same file name, same grammar (format "v4.0", normal
// and verbose), every operation. Scripts and NVIDIA's exporter read them unchanged; keys of ours
// begin with lockstep_ and are in every line. What would be missing is told by one dump_stats line
// per communicator whenever the last communicator ends or the process does. Written a round at a
// time; fed by the live view on the dump thread. docs/inspector.md has the grammar.
#pragma once

#include <functional>
#include <map>
#include <string>

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
  struct Tally {
    uint64_t seen = 0, written = 0, incomplete = 0, below_min_size = 0, without_kernel_timing = 0;
  };
  struct CommTally {
    Tally coll, p2p;
    bool news = false;
  };

  bool left_out(const DoneOperation& operation, Tally* tally) const;
  void put_stats(const CommFacts& comm, const CommTally& tally, const LiveState& state);

  InspectorOptions options_;
  ProcessName process_;
  Log log_;
  LineFile file_;
  std::map<uint32_t, CommTally> tallies_;
  bool failing_ = false;
};

}  // namespace lockstep::dumper
