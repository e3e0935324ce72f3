// Files that this process adds to in a place where others may have been first: made with mode 0600,
// never through a symbolic link, never one that belongs to another user.
#pragma once

#include <cstdio>
#include <string>

namespace lockstep {

// For reading and appending. nullptr with errno (ELOOP for a link, EPERM for another user's file).
std::FILE* open_own_file_to_append(const std::string& path);

}  // namespace lockstep
