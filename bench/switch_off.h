// Switches every kind off in this very process, the way a user does: `events none` through the
// control socket.
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

// False, and said why, when the process did not answer.
inline bool switch_off(const char* run_directory) {
  constexpr std::string_view kRequest = "events none\n";
  const std::string path = control_socket(run_directory == nullptr ? "." : run_directory);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path.c_str());
  const int line = socket(AF_UNIX, SOCK_STREAM, 0);
  char answer[4096] = {};
  const bool answered = connect(line, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                        write(line, kRequest.data(), kRequest.size()) > 0 &&
                        read(line, answer, sizeof answer - 1) > 0;
  close(line);
  if (answered && std::string(answer).find("\"events\":\"none\"") != std::string::npos) return true;
  std::fprintf(stderr, "no kind could be switched off through %s: %s\n", path.c_str(), answer);
  return false;
}

}  // namespace lockstep::bench
