// More agents than one asker should connect to are asked through some of them: each such agent asks a
// group, itself included, and answers for all of it. Here is what the two say to each other beside the
// protocol: whom to ask, and what each of them said. Parsers take what a peer with the key sent. Pure
// functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "live/asker/target.h"
#include "live/questions/question.h"

namespace lockstep::live {

// Groups of indices of targets: one each up to `most_flat` agents; above, those that are asked over TCP
// in groups of about as many as there are groups.
constexpr const char* kRelayWord = "relay";  // of the question
constexpr size_t kMostFlat = 512;
std::vector<std::vector<size_t>> group_targets(const std::vector<Target>& targets,
                                               size_t most_flat);

struct RelayQuestion {
  Question question;
  std::vector<Target> targets;  // agents over TCP; their host, address and port count
};
std::string relay_arguments(const RelayQuestion& relay);
Result<RelayQuestion> parse_relay_arguments(const Question& question);

// What one host of the group said: rows and failed, or an error.
using GroupAnswers = std::vector<Result<HostAnswer>>;
std::string relay_rows(const GroupAnswers& answers);
// The error: it is not an answer of so many hosts.
Result<GroupAnswers> parse_relay_rows(std::string_view rows, size_t hosts);

// The parts of a group's hosts carry the host's place in it before their names: INDEX/NAME.
struct RelayPart {
  size_t index = 0;
  std::string name;
};
std::optional<RelayPart> parse_relay_part(const std::string& name, size_t hosts);

}  // namespace lockstep::live
