// A run directory with the clock records that a test puts there.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "clocksync/record/clock_files.h"
#include "test/simulation/simulated_edge.h"
#include "test/unit/temp_dir.h"

namespace lockstep::analysis {

class RunDir {
 public:
  const std::string& path() const { return directory_.path(); }

  void write(const std::string& host, const std::vector<ClockRecord>& records) const {
    clocksync::ClockRecordWriter writer =
        std::move(clocksync::ClockRecordWriter::open(path(), host).value());
    for (const ClockRecord& record : records) writer.append(record);
    ASSERT_TRUE(writer.flush().ok());
  }

  // What the probers of a and b would have written about their edge.
  void write_edge(const std::string& a, const std::string& b, const clocksync::SimulatedEdge& edge,
                  const std::string& interface = "") const {
    HullBin to_b, to_a;
    to_b.interface = to_a.interface = interface;
    to_b.peer = a;
    for (const auto& p : edge.bounds.upper)
      to_b.points.push_back({p.x_raw_ns, p.offset_ns, StampKind::Kernel, 0});
    to_a.peer = b;
    for (const auto& p : edge.bounds.lower) {
      to_a.points.push_back({p.x_raw_ns + p.offset_ns, -p.offset_ns, StampKind::Kernel, 0});
    }
    write(b, {to_b});
    write(a, {to_a});
  }

  // That `host` heard `peer` for twenty seconds and lost nothing.
  void write_good_probing(const std::string& host, const std::string& peer,
                          const std::string& interface = "") const {
    HullBin heard;
    WindowStats window;
    heard.peer = window.peer = peer;
    heard.interface = window.interface = interface;
    heard.received = 100;
    window.status = "ok";
    std::vector<ClockRecord> records = {window};
    for (heard.bin = 0; heard.bin < 200; heard.bin += 10) records.push_back(heard);
    write(host, records);
  }

 private:
  const TempDir directory_;
};

}  // namespace lockstep::analysis
