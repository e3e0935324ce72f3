// `lockstep serve RUN`: the run in a browser, from a server of its own.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "base/end_signals.h"
#include "base/system.h"
#include "cli/commands.h"
#include "cli/show/output.h"
#include "cli/show/progress.h"
#include "dumper/recovery/memory_files.h"
#include "live/serve/api.h"
#include "live/serve/http_library.h"
#include "live/serve/place.h"
#include "live/serve/service_note.h"

namespace lockstep::cli {
namespace {

struct ServeArguments {
  std::string run, token_file, users, address = "127.0.0.1", certificate, key;
  int port = 0;
  uint64_t memory = uint64_t{2} << 30;
  bool reuse = false, anew = false, stop = false;
};

bool is_loopback(const std::string& address) {
  return address == "127.0.0.1" || address == "::1" || address == "localhost";
}

// What is wrong with them together; empty: nothing.
std::string mistake(const ServeArguments& arguments) {
  if (arguments.certificate.empty() != arguments.key.empty())
    return "--tls-cert and --tls-key go together";
  if (!is_loopback(arguments.address) && arguments.certificate.empty())
    return "--address " + arguments.address +
           ": beyond this machine only with TLS (--tls-cert, --tls-key), or through ssh -L";
  return "";
}

std::string url_of(const ServeArguments& arguments, uint16_t port, const std::string& token) {
  const bool is_v6 = arguments.address.find(':') != std::string::npos;
  return (arguments.certificate.empty() ? "http://" : "https://") +
         (is_v6 ? "[" + arguments.address + "]" : arguments.address) + ":" + std::to_string(port) +
         "/" + (token.empty() ? "" : "#token=" + token);
}

void print_banner(const ServeArguments& arguments, const std::string& token_file,
                  const std::string& url, uint16_t port) {
  const std::string number = std::to_string(port);
  print("serving " + arguments.run + " at " + url + "\n");
  print("token file: " + token_file + "\n");
  if (is_loopback(arguments.address))
    print("from another machine: ssh -N -L " + number + ":127.0.0.1:" + number + " " + this_host() +
          ", then the same address\n");
  print("it ends at Ctrl-C or SIGTERM\n");
  std::fflush(stdout);
}

// Before a run is opened that is not read whole.
std::string estimate(const analysis::RunExtent& extent) {
  constexpr double kOperationsPerSecond = 1e6;  // read and related, on one processor
  constexpr double kGiB = 1 << 30;
  const double operations = static_cast<double>(extent.operations);
  char text[300];
  std::snprintf(
      text, sizeof(text),
      "a large run: about %.3g operations, %.1f GiB as tables, so it is read in parts; the "
      "first time that takes some %.0f s, then seconds (the report and SQL are of its last "
      "part)",
      operations, static_cast<double>(extent.table_bytes) / kGiB,
      operations / kOperationsPerSecond);
  return text;
}

void serve_until(int stop, serve::HttpServer* server) {
  std::thread serving([server] { server->serve(); });
  signalfd_siginfo signal;
  while (read(stop, &signal, sizeof(signal)) < 0 && errno == EINTR) {
  }
  server->stop();
  serving.join();
}

Result<std::unique_ptr<serve::ServedRun>> open_run(const std::string& directory, uint64_t memory) {
  const auto pyramid = serve::place_beside(directory, "pyramid");
  if (!pyramid.ok()) return pyramid.status();
  const auto extent = analysis::extent_of(directory);
  if (!extent.ok()) return extent.status();
  serve::ServeOptions options;
  options.place = pyramid.value();
  options.most_table_bytes = memory;
  if (extent.value().table_bytes > options.most_table_bytes) complain(estimate(extent.value()));
  Progress progress("reading");
  options.progress = progress.callback();
  auto run = serve::ServedRun::open(directory, extent.value(), options);
  if (run.ok() && !run.value()->unwritten().empty()) complain(run.value()->unwritten());
  return run;
}

int serve_run(const ServeArguments& arguments, const std::string& directory,
              const std::string& place, int stop) {
  const std::string token_file =
      arguments.token_file.empty() ? place + "/token" : arguments.token_file;
  const auto token = serve::read_or_make_token(token_file);
  if (!token.ok()) return bad_input(token.message());
  std::vector<serve::User> users = {{serve::kOwner, token.value()}};
  if (!arguments.users.empty()) {
    const auto more = serve::read_users(arguments.users);
    if (!more.ok()) return bad_input(more.message());
    users.insert(users.end(), more.value().begin(), more.value().end());
  }
  const auto run = open_run(directory, arguments.memory);
  if (!run.ok()) return bad_input(run.message());
  for (const std::string& sentence : run.value()->main_part().tables->damage) complain(sentence);
  serve::AccessLog log(place + "/access.log");
  if (!log.is_open()) complain(place + "/access.log: cannot be written; nobody is logged");
  std::vector<std::string> names;
  if (!is_loopback(arguments.address)) names = {arguments.address, this_host()};
  serve::Api api(run.value().get(), serve::Gate(std::move(users), std::move(names)), &log);
  serve::HttpOptions options;
  options.address = arguments.address;
  options.port = static_cast<uint16_t>(arguments.port);
  options.certificate = arguments.certificate;
  options.key = arguments.key;
  const auto server = serve::make_http_server(options, &api);
  if (!server.ok()) return bad_input(server.message());
  const uint16_t port = server.value()->port();
  const serve::ServiceNote note =
      serve::own_service(url_of(arguments, port, ""), dumper::real_path(token_file));
  const Status noted = serve::write_service(place, note);
  if (!noted.ok()) complain(noted.message());
  print_banner(arguments, token_file, url_of(arguments, port, token.value()), port);
  serve_until(stop, server.value().get());
  serve::remove_service(place, note);
  return kOk;
}

// Ends those of this machine; others are named.
int stop_services(const std::string& directory) {
  int code = kFinding;
  for (const serve::ServiceNote& note : serve::services_of(directory)) {
    if (!serve::is_here(note)) {
      complain("it is served on " + note.host + ", process " + std::to_string(note.pid) +
               "; end it there");
    } else if (kill(static_cast<pid_t>(note.pid), SIGTERM) == 0) {
      print("ended " + note.url + "\n");
      code = kOk;
    }
  }
  if (code != kOk) complain(directory + ": no server of this machine was ended");
  return code;
}

int offer(const serve::ServiceNote& note) {
  const auto token = serve::read_or_make_token(note.token_file);
  if (!token.ok()) return bad_input(token.message());
  print("already served by process " + std::to_string(note.pid) + " on " + note.host + " at " +
        note.url + "#token=" + token.value() + "\n");
  return kOk;
}

// Whether the server that is there will do: as the options say, else as a person says.
bool will_do(const ServeArguments& arguments, const serve::ServiceNote& note) {
  if (arguments.reuse || arguments.anew) return arguments.reuse;
  if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0) return false;
  std::fprintf(stderr, "Process %u on %s serves this run already. Use that one? [Y/n] ", note.pid,
               note.host.c_str());
  char answer[16] = "";
  if (std::fgets(answer, sizeof(answer), stdin) == nullptr) return false;
  return answer[0] != 'n' && answer[0] != 'N';
}

int run(const ServeArguments& arguments) {
  const std::string wrong = mistake(arguments);
  if (!wrong.empty()) return bad_usage(wrong);
  const std::string directory = dumper::real_path(arguments.run);
  if (arguments.stop) return stop_services(directory);
  for (const serve::ServiceNote& note : serve::services_of(directory)) {
    if (will_do(arguments, note)) return offer(note);
    if (!arguments.anew)
      complain("process " + std::to_string(note.pid) + " on " + note.host +
               " serves this run too; --reuse prints its URL");
  }
  const int stop = end_signals_fd();
  // A folder that is no run is refused before anything is written into it.
  const auto opened = dumper::RunDirectory::open(directory);
  if (!opened.ok()) return bad_input(opened.message());
  const auto place = serve::place_beside(directory, "serve");
  if (!place.ok()) return bad_input(place.message());
  return serve_run(arguments, directory, place.value(), stop);
}

}  // namespace

void add_serve(base::Command& lockstep) {
  const auto arguments = std::make_shared<ServeArguments>();
  base::Command command =
      lockstep.command("serve", "Show a run in a browser: a page and its server",
                       [arguments] { return run(*arguments); });
  command.option("RUN", &arguments->run, "The run directory").required();
  command.option("--port", &arguments->port, "Where to listen; default: 0, a free port")
      .between(0, 65535);
  command
      .option("--token-file", &arguments->token_file,
              "The token that a browser must have, mode 0600; made when it is not there (default: "
              "RUN/serve/token)")
      .shown_as("FILE");
  command
      .option("--users", &arguments->users,
              "Further users, who may read: a line NAME TOKEN for each, mode 0600")
      .shown_as("FILE");
  command
      .option("--memory", &arguments->memory,
              "What tables may take (default: 2G); a run that needs more is read in parts")
      .bytes()
      .shown_as("SIZE");
  command
      .option("--address", &arguments->address,
              "The address to listen at; default: 127.0.0.1, and others only with TLS")
      .shown_as("ADDR");
  const base::Argument reuse = command.flag(
      "--reuse", &arguments->reuse, "Print the URL of a server that serves this run already");
  command.flag("--new", &arguments->anew, "Start one more even so, without asking").excludes(reuse);
  command.flag("--stop", &arguments->stop, "End the servers of this run on this machine");
  command.option("--tls-cert", &arguments->certificate, "TLS: the certificate chain, PEM")
      .shown_as("FILE");
  command.option("--tls-key", &arguments->key, "TLS: its private key, PEM").shown_as("FILE");
}

}  // namespace lockstep::cli
