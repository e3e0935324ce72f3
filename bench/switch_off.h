// Asks this very process something through its control socket, the way a user does; and switches every
// kind off, by `events none`.
#pragma once

#include <glob.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace lockstep::bench {

// The first control socket of the directory; empty when there is none.
inline std::string control_socket(const std::string& run_directory) {
  glob_t found{};
  const bool any = glob((run_directory + "/*.ctl").c_str(), 0, nullptr, &found) == 0;
  const std::string path = any ? found.gl_pathv[0] : "";
  globfree(&found);
  return path;
}

// The answer; empty when there is none.
inline std::string ask_itself(const char* run_directory, std::string_view request) {
  const std::string path = control_socket(run_directory == nullptr ? "." : run_directory);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path.c_str());
  const int line = socket(AF_UNIX, SOCK_STREAM, 0);
  char answer[4096] = {};
  const bool answered = connect(line, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                        write(line, request.data(), request.size()) > 0 &&
                        read(line, answer, sizeof answer - 1) > 0;
  close(line);
  return answered ? answer : "";
}

// False, and said why, when the process did not answer so.
inline bool answers(const char* run_directory, std::string_view request, std::string_view wanted) {
  const std::string answer = ask_itself(run_directory, request);
  if (answer.find(wanted) != std::string::npos) return true;
  std::fprintf(stderr, "'%.*s' was answered '%s'\n", static_cast<int>(request.size() - 1),
               request.data(), answer.c_str());
  return false;
}

inline bool switch_off(const char* run_directory) {
  return answers(run_directory, "events none\n", "\"events\":\"none\"");
}

}  // namespace lockstep::bench
