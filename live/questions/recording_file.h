// What the questions about the files of a recording (recording_answer.h) take and what their rows say, as
// JSON both ways. Parsers take what a peer with the key sent. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file_fingerprint.h"
#include "lockstep/status.h"

namespace lockstep::live {

struct RecordingFile {
  std::string name;    // below the run directory, as a part may be called (question.h)
  FileFingerprint is;  // its checksum is 0 where only its size was asked for
  uint64_t from = 0;   // of the question alone: its first byte that the asker lacks
};

std::string to_json(const RecordingFile& file);                // of a question
std::string to_json(const std::vector<RecordingFile>& files);  // rows
// The error: it has no name, or one that no part may have.
Result<RecordingFile> parse_recording_file(const std::string& json);
Result<std::vector<RecordingFile>> parse_recording_files(const std::string& rows);

}  // namespace lockstep::live
