// `lockstep connect HOST [RUN]`: the page of a run that lies on another host, through a tunnel of ssh's. One login for each
// host stays in the background (ssh's ControlMaster) and carries all tunnels to it; --disconnect ends it.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/system.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/job/child_process.h"
#include "cli/job/run_finish.h"
#include "cli/show/output.h"
#include "clocksync/rendezvous/host_list.h"
#include "live/http/place.h"

namespace lockstep::cli {
namespace {

constexpr double kLoginPatienceS = 120;  // somebody may have to type a password
constexpr size_t kLargestOutput = 65536;

struct ConnectArguments {
  std::string host, run = ".";
  int port = 0;
  double timeout_s = 600;
  bool disconnect = false;
};

// The login of a host: its control socket lies in a folder of this user's.
class Login {
 public:
  static Result<Login> of(const std::string& host) {
    const auto folder = serve::place_in_cache("ssh " + host, "connect");
    if (!folder.ok()) return folder.status();
    return Login(host, folder.value());
  }

  bool is_there() const { return ssh({"-O", "check"}, {}).code == 0; }
  Status open() const {
    // -f: ssh goes into the background once it is logged in, and stays there.
    return checked(ssh({"-M", "-f", "-N", "-T", "-o", "ControlPersist=yes", "-o",
                        "ExitOnForwardFailure=yes", "-o", "ServerAliveInterval=30"},
                       {}));
  }
  Status close() const { return checked(ssh({"-O", "exit"}, {})); }
  Status forward(int port, int there) const {
    return checked(
        ssh({"-O", "forward", "-L",
             "127.0.0.1:" + std::to_string(port) + ":127.0.0.1:" + std::to_string(there)},
            {}));
  }
  // What the command printed there.
  Result<std::string> run(const std::string& script, double limit_s) const {
    const Said said = ssh({"-T"}, script, limit_s);
    const Status status = checked(said);
    if (!status.ok()) return status;
    return said.text;
  }

 private:
  struct Said {
    int code;  // -1: it took too long
    std::string text;
  };
  Login(std::string host, std::string folder)
      : host_(std::move(host)), folder_(std::move(folder)) {}

  Said ssh(const CommandLine& options, const std::string& script,
           double limit_s = kLoginPatienceS) const {
    CommandLine command = {"ssh", "-S", folder_ + "/ssh"};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), {"--", host_});
    if (!script.empty()) command.push_back(script);
    const std::string output = folder_ + "/said";
    Said said;
    said.code = ChildProcess().run_helper(command, output, limit_s);
    const auto text = read_small_file(output, kLargestOutput);
    if (text.ok()) said.text = text.value();
    unlink(output.c_str());
    while (!said.text.empty() && said.text.back() == '\n') said.text.pop_back();
    return said;
  }
  Status checked(const Said& said) const {
    if (said.code == 0) return Status();
    return Status::error(host_ + ": " +
                         (said.code < 0       ? "it took too long"
                          : said.text.empty() ? "ssh ended with " + std::to_string(said.code)
                                              : said.text));
  }

  std::string host_, folder_;
};

// For the shell there: a server of the run that is there, or one that outlives this login. Its banner's first line is
// what we want; it holds the token, so the file goes at once.
std::string serving_script(const std::string& run, double limit_s) {
  const std::string tries = std::to_string(static_cast<int>(limit_s * 10));
  return "umask 077; lockstep=$(command -v lockstep || echo " + shown({this_command()}) +
         "); log=$(mktemp) && { setsid \"$lockstep\" serve " + shown({run}) +
         " --reuse >\"$log\" 2>&1 </dev/null & } && server=$! && "
         "for i in $(seq " +
         tries +
         "); do grep -q ' at http' \"$log\" && break; "
         "kill -0 $server 2>/dev/null || break; sleep 0.1; done; "
         "grep ' at http' \"$log\"; found=$?; [ $found = 0 ] || cat \"$log\"; rm -f \"$log\"; exit "
         "$found";
}

// A port of ours that nobody uses now; 0: there is none.
int free_port() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  const bool found = bind(probe, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
                     getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  close(probe);
  return found ? ntohs(address.sin_port) : 0;
}

// http://127.0.0.1:40123/#token=...
struct Served {
  std::string scheme, rest;  // rest: from the slash on
  int port = 0;
};

Result<Served> served_in(const std::string& banner) {
  const std::string first = banner.substr(0, banner.find('\n'));
  const std::string url = first.substr(first.rfind(' ') + 1);
  const size_t host = url.find("://"), end = url.find('/', host + 3);
  const size_t colon = end == std::string::npos ? end : url.rfind(':', end);
  const auto port = colon == std::string::npos || host == std::string::npos || colon <= host
                        ? std::nullopt
                        : parse_number<uint16_t>(url.substr(colon + 1, end - colon - 1));
  if (!port) return Status::error("it says no URL: " + first);
  return Served{url.substr(0, host), url.substr(end), *port};
}

int disconnect(const ConnectArguments& arguments, const Login& login) {
  if (!login.is_there()) {
    complain(arguments.host + ": there is no connection to it");
    return kFinding;
  }
  const Status closed = login.close();
  if (!closed.ok()) return bad_input(closed.message());
  print("disconnected from " + arguments.host +
        "; servers there go on until lockstep serve --stop\n");
  return kOk;
}

int run(const ConnectArguments& arguments) {
  if (!clocksync::is_host_name(arguments.host))
    return bad_usage("\"" + arguments.host + "\" is no host's name");
  const auto login = Login::of(arguments.host);
  if (!login.ok()) return bad_input(login.message());
  if (arguments.disconnect) return disconnect(arguments, login.value());
  if (!login.value().is_there()) {
    const Status opened = login.value().open();
    if (!opened.ok()) return bad_input(opened.message());
  }
  const auto banner =
      login.value().run(serving_script(arguments.run, arguments.timeout_s), arguments.timeout_s);
  if (!banner.ok()) return bad_input(banner.message());
  const auto served = served_in(banner.value());
  if (!served.ok()) return bad_input(arguments.host + ": " + served.message());
  const int port = arguments.port != 0 ? arguments.port : free_port();
  const Status forwarded = login.value().forward(port, served.value().port);
  if (!forwarded.ok()) return bad_input(forwarded.message());
  print("connected to " + arguments.host + " at " + served.value().scheme +
        "://127.0.0.1:" + std::to_string(port) + served.value().rest + "\n");
  print("until: lockstep connect " + arguments.host + " --disconnect\n");
  return kOk;
}

}  // namespace

void add_connect(base::Command& lockstep) {
  const auto arguments = std::make_shared<ConnectArguments>();
  base::Command command =
      lockstep.command("connect", "Show a run of another host in the browser here, through ssh",
                       [arguments] { return run(*arguments); });
  command.option("HOST", &arguments->host, "The host, as ssh knows it; also user@host").required();
  command.option("RUN", &arguments->run,
                 "The run directory there, or a folder of runs; default: the folder that a login "
                 "begins in");
  command.option("--port", &arguments->port, "The port here; default: 0, a free one")
      .between(0, 65535);
  command
      .option("--timeout", &arguments->timeout_s,
              "Wait no longer than this for the run to be opened there")
      .between(1.0, 86400.0)
      .shown_as("SECONDS");
  command.flag("--disconnect", &arguments->disconnect, "End all tunnels to this host");
}

}  // namespace lockstep::cli
