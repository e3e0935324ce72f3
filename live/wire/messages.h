// What the frames of a connection carry (docs/live-protocol.md): the question, the end of an answer, a
// part. Parsers take what a peer with the key sent, and trust none of it. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "live/questions/question.h"

namespace lockstep::live {

struct QuestionMessage {
  Question question;
  std::string run;  // the run asked about, as the asker's path; empty: all that the agent serves
  uint32_t patience_ms = 0;  // how long the asker waits from now on, at most an hour
  uint64_t most_bytes = 0;   // of parts
};
std::string question_json(const QuestionMessage& message);
Result<QuestionMessage> parse_question(std::string_view json);

// An answer's end: all but its rows, which came before.
std::string end_json(const HostAnswer& answer);
Result<HostAnswer> parse_end(std::string_view json);

// A part's bytes with its name before them.
std::string part_frame(const std::string& name, std::string_view bytes);
constexpr size_t kMostPartOverhead = 256;  // bytes that the name takes in the frame
struct Part {
  std::string name;
  std::string_view bytes;  // of the frame
};
std::optional<Part> parse_part(std::string_view frame);

}  // namespace lockstep::live
