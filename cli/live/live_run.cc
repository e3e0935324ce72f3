#include "cli/live/live_run.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "cli/live/run_parts.h"
#include "dumper/options/event_mask.h"
#include "live/asker/flush_job.h"
#include "live/local/control_client.h"
#include "live/questions/ctl_answer.h"
#include "live/questions/slice_request.h"

namespace lockstep::cli {
namespace {

// The hosts that -t names, or all of them.
Status keep_target(const std::string& target, live::Targets* targets) {
  if (target.empty()) return Status();
  auto& hosts = targets->hosts;
  std::string known;
  for (const live::Target& host : hosts) known += (known.empty() ? "" : ", ") + host.host;
  hosts.erase(std::remove_if(hosts.begin(), hosts.end(),
                             [&](const live::Target& host) {
                               return host.host != target && !starts_with(host.host, target + ":");
                             }),
              hosts.end());
  if (!hosts.empty()) return Status();
  return Status::error("-t " + target + ": none of the hosts of this run, which are " + known);
}

// Whether the parts that came answer what was asked as all of them would.
bool is_enough(const std::vector<live::SliceRow>& rows, const LiveNeeds& needs) {
  const bool any =
      std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.bytes != 0; });
  const bool shared =
      std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.has_shared; });
  return any && !(needs.is_of_operations && shared);
}

}  // namespace

Result<uint32_t> wanted_kinds(const LiveRunArguments& arguments) {
  if (arguments.kinds.empty()) return dumper::kAllKinds;
  const bool sent = arguments.live && arguments.run.empty() && arguments.job.empty() &&
                    !parse_number<uint32_t>(arguments.target);
  if (!sent)
    return Status::error(
        "--kinds chooses what hosts send, with --live and --agents; files that are "
        "here are read whole");
  auto kinds = dumper::parse_events(arguments.kinds);
  return kinds.ok() ? std::move(kinds) : Status::error("--kinds: " + kinds.message());
}

void add_live_run_options(base::Command& command, LiveRunArguments* arguments) {
  command.flag("--live", &arguments->live,
               "Ask the running job: what its processes have in memory counts too");
  command
      .option("--agents", &arguments->agents,
              "With --live, in place of DIR: where its agents listen, as in n[01-16]:4711")
      .shown_as("HOST:PORT,...");
  command
      .option("--job", &arguments->job,
              "With --live, in place of DIR: the newest run of this SLURM job")
      .shown_as("ID");
  command
      .option("--key", &arguments->key_file,
              "The run's key, 32 bytes with mode 0600; with DIR its own, agents/key")
      .shown_as("FILE");
  command.option("-t,--target", &arguments->target, "With --live: only this host, or this process")
      .shown_as("HOST|HOST:PORT|PID");
  command
      .option("--kinds", &arguments->kinds,
              "With --live and --agents: hosts send only events of these kinds, as "
              "LOCKSTEP_EVENTS names them, and the answer is that of a job that recorded no others")
      .shown_as("KINDS");
  command
      .option("--max-bytes", &arguments->max_bytes,
              "With --live: refuse a host's part that is larger; default 256M")
      .bytes();
  command
      .option("--timeout", &arguments->timeout_s,
              "With --live: wait no longer than this for the slowest host; default 5")
      .between(0.1, 3600.0)
      .shown_as("SECONDS");
}

LiveRun::~LiveRun() {
  std::error_code ignored;
  if (!own_directory_.empty()) std::filesystem::remove_all(own_directory_, ignored);
}

Result<std::unique_ptr<LiveRun>> LiveRun::gather(LiveRunArguments arguments,
                                                 dumper::Selection selection,
                                                 const LiveNeeds& needs) {
  std::unique_ptr<LiveRun> run(new LiveRun);
  run->selection_ = std::move(selection);
  const auto pid = parse_number<uint32_t>(arguments.target);
  if (!pid && arguments.run.empty() && arguments.agents.empty() && arguments.job.empty() &&
      arguments.target.find(':') != std::string::npos)
    std::swap(arguments.agents, arguments.target);
  const Status asked = pid ? run->ask_process(arguments, *pid) : run->ask(arguments, needs);
  if (!asked.ok()) return asked;
  return run;
}

// Without a word to anybody else: the process's own folder has its files.
Status LiveRun::ask_process(const LiveRunArguments& arguments, uint32_t pid) {
  const auto found = live::controlled_process(pid);
  if (found.empty())
    return Status::error("-t " + arguments.target +
                         ": no process of yours on this machine records under this id");
  directory_ = found.front().directory;
  selection_.pid = pid;
  answers_.hosts_asked = answers_.hosts_answered = 1;
  const auto flushed = live::ask_processes_for(live::this_asker(), {found.front()}, "flush",
                                               live_terms(arguments).deadline_ns);
  const std::string host = live::parse_control_name(found.front().name).host;
  const Status done = live::was_done(flushed.front());
  if (!done.ok()) answers_.failed.push_back({host, live::not_flushed(pid, done.message())});
  return Status();
}

Status LiveRun::ask(const LiveRunArguments& arguments, const LiveNeeds& needs) {
  const int named =
      int{!arguments.run.empty()} + int{!arguments.agents.empty()} + int{!arguments.job.empty()};
  if (named > 1)
    return Status::error("one of a run directory, --job and --agents: each says whom to ask");
  if (named == 0)
    return Status::error("whom to ask: give a run directory, --job, or --agents with --key");
  const auto directory = live_run(arguments);
  if (!directory.ok()) return directory.status();
  auto targets = find_live_targets(arguments);
  if (!targets.ok()) return targets.status();
  Status kept = keep_target(arguments.target, &targets.value());
  if (!kept.ok()) return kept;
  if (directory.value().empty()) {
    live::AskTerms terms = live_terms(arguments);
    terms.max_bytes = arguments.max_bytes * std::max<size_t>(targets.value().hosts.size(), 1);
    return take_parts(targets.value(), arguments, needs, terms);
  }
  directory_ = directory.value();
  answers_ = live::flush_job(targets.value(), live_terms(arguments));
  return Status();
}

Status LiveRun::make_own_directory() {
  std::error_code error;
  if (!own_directory_.empty()) std::filesystem::remove_all(own_directory_, error);
  own_directory_ = std::filesystem::temp_directory_path(error).string() + "/lockstep-live.XXXXXX";
  if (error || mkdtemp(own_directory_.data()) == nullptr) {
    own_directory_.clear();
    return Status::error("cannot make a directory for the parts of the run; set TMPDIR");
  }
  directory_ = own_directory_;
  return Status();
}

// What is narrow and turns out to depend on what was left out is asked once more, whole, in the time
// that is left.
Status LiveRun::take_parts(const live::Targets& targets, const LiveRunArguments& arguments,
                           const LiveNeeds& needs, const live::AskTerms& terms) {
  Status made = make_own_directory();
  if (!made.ok()) return made;
  live::SliceRequest request;
  request.selection = selection_;
  request.max_bytes = arguments.max_bytes;
  request.host_load = needs.host_load;
  // One clock for several hosts rests on what all of them recorded.
  if (!needs.has_times || targets.hosts.size() == 1) {
    request.only_ranks = needs.ranks;
    request.kinds = needs.kinds;
    request.rows_from_ns = needs.from_ns;
    request.rows_to_ns = needs.to_ns;
  }
  request.kinds &= wanted_kinds(arguments).value();
  const std::vector<live::SliceRow> rows =
      take_run_parts(targets, request, terms, directory_, &answers_);
  if (request.only_ranks && !is_enough(rows, needs)) {
    LiveNeeds all = needs;
    all.ranks.reset();
    return take_parts(targets, arguments, all, terms);
  }
  selection_ = live::selection_of(request, rows);
  align_parts(directory_, rows);
  return Status();
}

std::vector<std::string> unanswered(const live::Answers& answers) {
  std::vector<std::string> sentences;
  for (const live::FailedHost& failed : answers.failed)
    sentences.push_back("host " + failed.host + ": " + failed.reason);
  return sentences;
}

}  // namespace lockstep::cli
