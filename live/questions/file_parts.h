// Files as parts of an answer. Any thread.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "live/questions/question.h"

namespace lockstep::live {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FileToSend = std::unique_ptr<std::FILE, FileCloser>;

// Null with errno.
FileToSend open_to_send(const std::string& path);
// From where it stands to its end, under this name. False when the asker wants no more of it, or it cannot
// be read.
bool send_rest(std::FILE* file, const std::string& name, PartSink* parts);

}  // namespace lockstep::live
