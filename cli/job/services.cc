#include "cli/job/services.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>

#include "cli/commands.h"
#include "cli/show/output.h"
#include "live/http/service_note.h"
#include "live/http/tokens.h"

namespace lockstep::cli {
namespace {

int offer(const serve::ServiceNote& note) {
  if (!note.ours) {
    print("already served by process " + std::to_string(note.process.pid) + " on " +
          note.process.host + ", of another user, who has the token, at " + note.url + "\n");
    return kOk;
  }
  const auto token = serve::read_or_make_token(note.token_file);
  if (!token.ok()) return bad_input(token.message());
  print("already served by process " + std::to_string(note.process.pid) + " on " +
        note.process.host + " at " + note.url + "#token=" + token.value() + "\n");
  return kOk;
}

// Whether the server that is there will do: as the options say, else as a person says.
bool will_do(const Another& another, const serve::ServiceNote& note) {
  if (another.reuse || another.anew) return another.reuse;
  if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0) return false;
  std::fprintf(stderr, "Process %u on %s serves this run already. Use that one? [Y/n] ",
               note.process.pid, note.process.host.c_str());
  char answer[16] = "";
  if (std::fgets(answer, sizeof(answer), stdin) == nullptr) return false;
  return answer[0] != 'n' && answer[0] != 'N';
}

}  // namespace

std::optional<int> offer_services(const std::string& directory, const Another& another) {
  for (const serve::ServiceNote& note : serve::services_of(directory)) {
    if (will_do(another, note)) return offer(note);
    if (!another.anew)
      complain("process " + std::to_string(note.process.pid) + " on " + note.process.host +
               " serves this run too; --reuse prints its URL");
  }
  return std::nullopt;
}

int stop_services(const std::string& directory) {
  int code = kFinding;
  for (const serve::ServiceNote& note : serve::services_of(directory)) {
    if (!note.ours) {
      complain("process " + std::to_string(note.process.pid) + " on " + note.process.host +
               " serves it for another user, who can end it");
    } else if (!serve::is_here(note)) {
      complain("it is served on " + note.process.host + ", process " +
               std::to_string(note.process.pid) + "; end it there");
    } else if (kill(static_cast<pid_t>(note.process.pid), SIGTERM) == 0) {
      print("ended " + note.url + "\n");
      code = kOk;
    }
  }
  if (code != kOk) complain(directory + ": no server of this machine was ended");
  return code;
}

}  // namespace lockstep::cli
