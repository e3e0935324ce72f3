#include "live/http/tokens.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/output_file.h"
#include "base/text.h"

namespace lockstep::serve {
namespace {

constexpr size_t kTokenBytes = 32, kMostFileBytes = 64 << 10;
constexpr size_t kShortestToken = 16, kLongestToken = 512;

// Printable, without blanks: what a header can carry as it is.
bool is_token(std::string_view text) {
  return text.size() >= kShortestToken && text.size() <= kLongestToken &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

Status not_a_token(const std::string& path) {
  return Status::error(path + ": a token has 16 to 512 printable characters and no blank");
}

Status failed(const std::string& path) { return Status::error(path + ": " + std::strerror(errno)); }

// Of a file that only this user can read and change.
Result<std::string> read_secret_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return failed(path);
  struct stat facts {};
  std::string text(kMostFileBytes, '\0');
  ssize_t got = -1;
  if (fstat(file, &facts) == 0) got = read(file, text.data(), text.size());
  close(file);
  if (got < 0) return failed(path);
  if (!S_ISREG(facts.st_mode) || facts.st_uid != geteuid())
    return Status::error(path + ": it is no ordinary file of this user");
  if ((facts.st_mode & 077) != 0)
    return Status::error(path +
                         ": others can read or change it; chmod 600 it, and change the token");
  text.resize(static_cast<size_t>(got));
  return text;
}

Result<std::string> make_token(const std::string& path) {
  if (sodium_init() < 0) return Status::error("this machine has no random numbers: no token");
  unsigned char bytes[kTokenBytes];
  randombytes_buf(bytes, sizeof(bytes));
  char text[2 * kTokenBytes + 1];
  sodium_bin2hex(text, sizeof(text), bytes, sizeof(bytes));
  FileTerms terms;
  terms.mode = 0600;
  const Status written = write_file(path, std::string(text) + "\n", IfExists::Refuse, terms);
  if (!written.ok()) return written;
  return std::string(text);
}

}  // namespace

Result<std::string> read_or_make_token(const std::string& path) {
  struct stat facts {};
  if (lstat(path.c_str(), &facts) != 0 && errno == ENOENT) return make_token(path);
  auto token = read_secret_file(path);
  if (!token.ok()) return token;
  if (!token.value().empty() && token.value().back() == '\n') token.value().pop_back();
  if (!is_token(token.value())) return not_a_token(path);
  return token;
}

Result<std::vector<User>> read_users(const std::string& path) {
  const auto text = read_secret_file(path);
  if (!text.ok()) return text.status();
  std::vector<User> users;
  for (size_t at = 0; at < text.value().size();) {
    const size_t end = std::min(text.value().find('\n', at), text.value().size());
    const std::string line = text.value().substr(at, end - at);
    at = end + 1;
    if (line.empty() || line[0] == '#') continue;
    const size_t blank = line.find(' ');
    const User user = {line.substr(0, blank),
                       blank == std::string::npos ? "" : line.substr(blank + 1)};
    if (user.name == kOwner) return Status::error(path + ": the name owner is taken");
    if (!is_token(user.token)) return not_a_token(path + ": " + user.name);
    users.push_back(user);
  }
  return users;
}

const User* user_of(const std::vector<User>& users, std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  if (!starts_with(authorization, kScheme)) return nullptr;
  const std::string_view token = authorization.substr(kScheme.size());
  const User* found = nullptr;
  for (const User& user : users) {
    if (user.token.size() == token.size() &&
        sodium_memcmp(user.token.data(), token.data(), token.size()) == 0)
      found = &user;
  }
  return found;
}

}  // namespace lockstep::serve
