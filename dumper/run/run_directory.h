// What a run directory holds: the processes, their segments in order, and what killed processes
// left behind, in the directory itself and in its host directories (run_files.h). Reads file
// headers and facts only; the records come through ProcessReader (in file order) or ProcessRecords
// (in time order). Everything it reads may be damaged or foreign: what can be read is given, and a
// directory of which nothing can be read is refused.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dumper/run/process_state.h"
#include "dumper/segment/process_facts.h"
#include "dumper/segment/segment_reader.h"

namespace lockstep::dumper {

// "<host>.<pid>.<number>.lks" and its like, taken apart from the right because hosts may contain
// dots.
struct RunFileName {
  std::string host;
  uint32_t pid = 0;
  uint32_t number = 0;
};
bool parse_segment_name(const std::string& name, RunFileName* out);

struct SegmentFile {
  std::string path;
  RunFileName name;
  uint32_t number = 0;  // within the process
  uint32_t writer = 0;  // SegmentHeader::writer
  uint64_t bytes = 0;
};

// All of a file's bytes, for the reason that SegmentReader::open() gave.
Damage unreadable_file(const SegmentFile& segment, const Status& why);

struct ProcessEntry {
  uint64_t uid = 0;
  std::string host;
  uint32_t pid = 0;
  std::string facts_json;  // empty when no facts could be read
  ProcessFacts facts;
  std::vector<SegmentFile> segments;  // in the order they were written

  ProcessState state() const;
};

struct RunDirectory {
  std::string path;
  std::vector<ProcessEntry> processes;  // by host, pid and age
  std::vector<std::string> arenas;      // *.blocks files named in or lying in the directory
  // Files named like segments in which nothing can be read and that are of no process above.
  std::vector<Damage> unreadable;

  uint64_t bytes = 0;  // of all segments

  // A sentence for each unreadable file; ProcessReader has the damage inside the others.
  std::vector<std::string> damage_sentences() const;

  // The error says whether the directory is missing, empty or foreign, or why nothing in it can be
  // read, and what to give instead.
  static Result<RunDirectory> open(const std::string& path);
};

// Whether it has files named like segments, readable or not.
bool has_segments(const std::string& run_directory);

// Arenas this run may have: those its *.arena files point to and *.blocks files in it. Also for
// directories without a single segment.
struct FoundArena {
  std::string path;
  std::string directory;  // where the file that told of it lies, and the process's segments
};
std::vector<FoundArena> find_arenas(const std::string& run_directory);

}  // namespace lockstep::dumper
