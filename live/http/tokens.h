// Who may ask: a token for the one who serves, and one for each further user, all of them to read.
// Files hold them, mode 0600 and of our own user, so that a token never stands on a command line. Read
// once at the start; then any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lockstep/status.h"

namespace lockstep::serve {

constexpr const char* kOwner = "owner";

struct User {
  std::string name, token;
};

// The token in that file; where there is none, a random one that it then holds (256 bits). A newline at
// the end does not belong to it. The error says what is wrong with the file and what it should be.
Result<std::string> read_or_make_token(const std::string& path);

// A line for each: NAME TOKEN. Empty lines and those that begin with # are passed over.
Result<std::vector<User>> read_users(const std::string& path);

// Whose token an `Authorization: Bearer TOKEN` has; null: nobody's. Takes as long whatever it differs in.
const User* user_of(const std::vector<User>& users, std::string_view authorization);

}  // namespace lockstep::serve
