// The rows of the question `ps` (live/questions/ps_answer.h) for people: a table, or a tree of runs,
// hosts and processes. `rows` is the JSON array; what a row lacks is shown as `-`.
#pragma once

#include <string>

namespace lockstep::cli {

std::string process_table(const std::string& rows);
std::string process_tree(const std::string& rows);

}  // namespace lockstep::cli
