// Another program, started without fork(): in a process with other threads, these may hold locks for ever in the child.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace lockstep {

// What exec wants: pointers into `words`, and a null pointer behind them.
std::vector<char*> argument_vector(const std::vector<std::string>& words);

// Looks for the program in PATH and starts it with no signal blocked and nothing to read; what it prints goes to
// `output` and `error`, or nowhere where they are -1. 0, or why it did not start, as an errno. The caller waits for it.
//
// Where posix_spawn learns only in the child that there is no such program, as POSIX allows and qemu-user does, the
// child ends with kNoProgram.
constexpr int kNoProgram = 127;
int spawn(const std::vector<std::string>& command, int output, int error, pid_t* child);

}  // namespace lockstep
