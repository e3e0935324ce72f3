// The reader of <host>.clock files; a record that reads must write a line that reads to the same.
#include "clocksync/record/clock_records.h"

#include "clocksync/record/clock_files.h"
#include "test/fuzz/input_file.h"

using namespace lockstep;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::InputFile file;
  auto reader = clocksync::ClockRecordReader::open(file.holding(data, size));
  if (!reader.ok()) __builtin_trap();
  while (const auto record = reader.value().next()) {
    const std::string line = clocksync::to_json(*record);
    const auto again = clocksync::from_json(line.data(), line.size());
    const bool same =
        again.ok() && again.value().has_value() && clocksync::to_json(*again.value()) == line;
    if (!same) __builtin_trap();
  }
  const clocksync::ClockReadReport& report = reader.value().report();
  if (report.torn_tail_bytes > size || report.complaints.size() > report.damaged_lines)
    __builtin_trap();
  return 0;
}
