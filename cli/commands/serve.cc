// `lockstep serve RUN|PARENT`: a run, or those of a folder, in a browser, from a server of its own.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "analysis/pyramid/pyramid_build.h"
#include "analysis/say/words.h"
#include "base/clock_ns.h"
#include "base/end_signals.h"
#include "base/system.h"
#include "cli/commands.h"
#include "cli/job/perfetto_site.h"
#include "cli/job/run_rows.h"
#include "cli/job/run_to_come.h"
#include "cli/job/services.h"
#include "cli/live/served_job.h"
#include "cli/show/output.h"
#include "cli/show/progress.h"
#include "dumper/recovery/memory_files.h"
#include "live/http/http_library.h"
#include "live/http/place.h"
#include "live/http/service_note.h"
#include "live/serve/api.h"
#include "live/serve/awaited.h"
#include "live/serve/run_folder.h"

namespace lockstep::cli {
namespace {

struct ServeArguments {
  std::string run, token_file, users, address = "127.0.0.1", certificate, key, client_authorities;
  int port = 0;
  uint64_t memory = uint64_t{2} << 30;
  Another another;
  bool stop = false;
};

bool is_loopback(const std::string& address) {
  return address == "127.0.0.1" || address == "::1" || address == "localhost";
}

// What is wrong with them together; empty: nothing.
std::string mistake(const ServeArguments& arguments) {
  if (arguments.certificate.empty() != arguments.key.empty())
    return "--tls-cert and --tls-key go together";
  if (!arguments.client_authorities.empty() && arguments.certificate.empty())
    return "--client-ca is for TLS: it needs --tls-cert and --tls-key";
  if (!is_loopback(arguments.address) && arguments.certificate.empty())
    return "--address " + arguments.address +
           ": beyond this machine only with TLS (--tls-cert, --tls-key), or through ssh -L";
  return "";
}

// Of its own, or of runs in it.
bool has_records(const std::string& directory) {
  return dumper::has_segments(directory) || serve::has_runs(directory, is_run_directory);
}

void print_banner(const ServeArguments& arguments, const std::string& directory,
                  const std::string& token_file, const std::string& url, uint16_t port) {
  const std::string number = std::to_string(port);
  print("serving " + arguments.run + " at " + url + "\n");
  print("token file: " + token_file + "\n");
  if (is_loopback(arguments.address))
    print("from another machine: ssh -N -L " + number + ":127.0.0.1:" + number + " " + this_host() +
          ", then the same address\n");
  if (!has_records(directory)) print(std::string(serve::kNoRecords) + "\n");
  print("it ends at Ctrl-C or SIGTERM\n");
  std::fflush(stdout);
}

// Two digits: more would promise what a guess does not hold.
std::string about(uint64_t number) {
  uint64_t unit = 1;
  while (number / unit >= 100) unit *= 10;
  const uint64_t round = (number + unit / 2) / unit * unit;
  return round >= 10000000 ? std::to_string(round / 1000000) + " million" : std::to_string(round);
}

// Before a run is opened that is not read whole.
std::string estimate(const analysis::RunExtent& extent, uint64_t memory) {
  // Of a processor, as 128 ranks took in ten minutes (docs/measured/analysis.md): for the pyramid, and for the report,
  // which is of as much as takes half of the memory.
  constexpr double kOperationsPerSecond = 4e5, kReportedPerSecond = 7.5e4;
  const double operations = static_cast<double>(extent.operations);
  const double reported = operations * static_cast<double>(memory) / 2 /
                          static_cast<double>(std::max<uint64_t>(extent.table_bytes, 1));
  const double took_s = operations * analysis::times_read(extent, memory) / kOperationsPerSecond +
                        reported / kReportedPerSecond;
  return "a large run: about " + about(extent.operations) + " operations, " +
         analysis::bytes(extent.table_bytes) +
         " as tables, so it is read in parts. The first time that takes some " +
         analysis::duration(static_cast<int64_t>(took_s * 1e9)) +
         " of a processor, then seconds. The report and SQL are of its last part";
}

void serve_until(int stop, serve::HttpServer* server) {
  std::thread serving([server] { server->serve(); });
  signalfd_siginfo signal;
  while (read(stop, &signal, sizeof(signal)) < 0 && errno == EINTR) {
  }
  server->stop();
  serving.join();
}

enum class Announce { No, Progress };

Result<std::unique_ptr<serve::FollowedRun>> open_run(const std::string& directory, uint64_t memory,
                                                     const std::string& perfetto_ui,
                                                     Announce announce) {
  const auto pyramid = serve::place_beside(directory, "pyramid");
  if (!pyramid.ok()) return pyramid.status();
  serve::ServeOptions options;
  options.place = pyramid.value();
  options.most_table_bytes = memory;
  options.perfetto_ui = perfetto_ui;
  options.estimate = [memory](const analysis::RunExtent& extent) {
    if (extent.table_bytes > memory) complain(estimate(extent, memory));
  };
  serve::Reading first;
  first.begun_ns = mono_now_ns();
  std::optional<Progress> progress;
  if (announce == Announce::Progress) options.progress = progress.emplace("reading").callback();
  auto run = read_served_job(directory, options);
  if (!run.ok())
    return dumper::has_segments(directory) ? run.status()
                                           : Status::error(why_no_records(directory));
  if (!run.value()->unwritten().empty()) complain(run.value()->unwritten());
  for (const std::string& sentence : run.value()->summary().damage) complain(sentence);
  first.run = std::move(run.value());
  first.took_ns = mono_now_ns() - first.begun_ns;
  options.progress = nullptr;
  options.estimate = nullptr;
  return std::make_unique<serve::FollowedRun>(
      std::move(first), [directory, options] { return read_served_job(directory, options); });
}

Result<std::unique_ptr<serve::Answers>> answers_for(const ServeArguments& arguments,
                                                    const std::string& directory,
                                                    const std::string& perfetto_ui,
                                                    Announce announce) {
  const uint64_t memory = arguments.memory;
  if (!dumper::has_segments(directory) && serve::has_runs(directory, is_run_directory)) {
    serve::RunFolderSources sources;
    sources.parent = directory;
    sources.list = [directory] {
      const auto rows = run_rows(directory);
      return rows.ok() ? runs_json(rows.value()) : "[]";
    };
    sources.open = [memory, perfetto_ui](const std::string& run) {
      return open_run(run, memory / serve::kMostOpenRuns, perfetto_ui, Announce::No);
    };
    sources.is_run = is_run_directory;
    return std::unique_ptr<serve::Answers>(new serve::RunFolder(std::move(sources)));
  }
  auto run = open_run(directory, memory, perfetto_ui, announce);
  if (!run.ok()) return run.status();
  return std::unique_ptr<serve::Answers>(new serve::RunAnswers(std::move(run.value())));
}

// Of a directory that a job will fill.
Result<std::unique_ptr<serve::Answers>> awaited(const ServeArguments& arguments,
                                                const std::string& directory,
                                                const std::string& perfetto_ui) {
  const auto open = [arguments, directory, perfetto_ui] {
    return answers_for(arguments, directory, perfetto_ui, Announce::No);
  };
  return std::unique_ptr<serve::Answers>(new serve::Awaited(open));
}

// The owner first.
Result<std::vector<serve::User>> users_of(const ServeArguments& arguments,
                                          const std::string& token_file) {
  const auto token = serve::read_or_make_token(token_file);
  if (!token.ok()) return token.status();
  std::vector<serve::User> users = {{serve::kOwner, token.value()}};
  if (arguments.users.empty()) return users;
  const auto more = serve::read_users(arguments.users);
  if (!more.ok()) return more.status();
  users.insert(users.end(), more.value().begin(), more.value().end());
  return users;
}

int serve_run(const ServeArguments& arguments, const std::string& directory,
              const std::string& place, int stop) {
  const std::string token_file =
      arguments.token_file.empty() ? place + "/token" : arguments.token_file;
  auto users = users_of(arguments, token_file);
  if (!users.ok()) return bad_input(users.message());
  const std::string token = users.value().front().token;
  serve::HttpOptions options;
  options.address = arguments.address;
  options.port = static_cast<uint16_t>(arguments.port);
  options.certificate = arguments.certificate;
  options.key = arguments.key;
  options.client_authorities = arguments.client_authorities;
  std::vector<std::string> names;
  if (!is_loopback(arguments.address)) names = {arguments.address, this_host()};
  const auto perfetto = PerfettoSite::open(options, names);
  if (!perfetto.ok()) return bad_input(perfetto.message());
  const std::string perfetto_ui = perfetto.value()->url();
  auto answers = has_records(directory)
                     ? answers_for(arguments, directory, perfetto_ui, Announce::Progress)
                     : awaited(arguments, directory, perfetto_ui);
  if (!answers.ok()) return bad_input(answers.message());
  serve::AccessLog log(place + "/access.log");
  if (!log.is_open()) complain(place + "/access.log: cannot be written; nobody is logged");
  serve::Api api(answers.value().get(), serve::Gate(std::move(users.value()), std::move(names)),
                 &log);
  const auto server = serve::make_http_server(options, &api);
  if (!server.ok()) return bad_input(server.message());
  const uint16_t port = server.value()->port();
  const std::string url = url_at(options, port);
  const serve::ServiceNote note = serve::own_service(url, dumper::real_path(token_file));
  const Status noted = serve::write_service(place, note);
  if (!noted.ok()) complain(noted.message());
  print_banner(arguments, directory, token_file, url + "#token=" + token, port);
  serve_until(stop, server.value().get());
  serve::remove_service(place, note);
  return kOk;
}

int run(const ServeArguments& arguments) {
  const std::string wrong = mistake(arguments);
  if (!wrong.empty()) return bad_usage(wrong);
  const std::string directory = dumper::real_path(arguments.run);
  if (arguments.stop) return stop_services(directory);
  if (const auto offered = offer_services(directory, arguments.another)) return *offered;
  const int stop = end_signals_fd();
  // A folder that has no run is refused before anything is written into it.
  const auto opened = dumper::RunDirectory::open(directory);
  if (!opened.ok() &&
      (dumper::has_segments(directory) ||
       (!serve::has_runs(directory, is_run_directory) && !may_be_filled(directory))))
    return bad_input(opened.message());
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
  command.option("RUN", &arguments->run, "The run directory, or a folder of runs").required();
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
  const base::Argument reuse =
      command.flag("--reuse", &arguments->another.reuse,
                   "Print the URL of a server that serves this run already");
  command.flag("--new", &arguments->another.anew, "Start one more even so, without asking")
      .excludes(reuse);
  command.flag("--stop", &arguments->stop, "End the servers of this run on this machine");
  command.option("--tls-cert", &arguments->certificate, "TLS: the certificate chain, PEM")
      .shown_as("FILE");
  command.option("--tls-key", &arguments->key, "TLS: its private key, PEM").shown_as("FILE");
  command
      .option("--client-ca", &arguments->client_authorities,
              "TLS: only clients whose certificate one of these authorities signed, PEM; they need "
              "the token too")
      .shown_as("FILE");
}

}  // namespace lockstep::cli
