#include "live/questions/recording_answer.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "dumper/recovery/recover.h"
#include "dumper/run/capture_file.h"
#include "dumper/run/run_files.h"
#include "live/local/local_processes.h"
#include "live/questions/file_parts.h"
#include "live/questions/recording_file.h"

namespace lockstep::live {
namespace {

bool is_of_host(const std::string& path, const std::string& host) {
  return dumper::is_recording(path) && starts_with(base_name(path), host + ".");
}

// What is asked for by its name; captures are the run's, and so whoever has them sends them.
bool is_sent(const std::string& run, const std::string& path, const std::string& host) {
  if (is_of_host(path, host)) return true;
  const std::vector<std::string> captures = dumper::capture_files(run);
  return std::find(captures.begin(), captures.end(), path) != captures.end();
}

Status is_ended(const HostContext& context) {
  for (const LocalProcess& process : local_processes({context.host, context.runs}))
    return Status::error("process " + std::to_string(process.pid) +
                         " still records to it; collect when the job has ended");
  for (const std::string& run : context.runs) {
    Status recovered = dumper::recover_ended_run(run);
    if (!recovered.ok()) return recovered;
  }
  return Status();
}

Result<std::vector<RecordingFile>> files_of(const std::string& run, const std::string& host) {
  std::vector<RecordingFile> files;
  const auto all = dumper::run_files(run);
  if (!all.ok()) return all.status();
  std::vector<std::string> paths = dumper::capture_files(run);
  for (const std::string& path : all.value()) {
    if (is_of_host(path, host)) paths.push_back(path);
  }
  for (const std::string& path : paths) {
    struct stat facts;
    if (lstat(path.c_str(), &facts) != 0) continue;
    const std::string name = path.substr(run.size() + 1);
    if (!is_part_name(name))
      return Status::error(path + ": a name that cannot be sent; collect it on that node");
    files.push_back({name, {static_cast<uint64_t>(facts.st_size), 0}, 0});
  }
  return files;
}

// Where the file is; the error: nowhere.
Result<std::string> find_file(const HostContext& context, const RecordingFile& file) {
  for (const std::string& run : context.runs) {
    const std::string path = run + "/" + file.name;
    struct stat facts;
    if (is_sent(run, path, context.host) && lstat(path.c_str(), &facts) == 0 &&
        S_ISREG(facts.st_mode))
      return path;
  }
  return Status::error(file.name + ": no such recording of " + context.host + " is here");
}

HostAnswer answer_of(const std::vector<RecordingFile>& files) {
  HostAnswer answer;
  answer.rows = to_json(files);
  return answer;
}

}  // namespace

Result<HostAnswer> answer_recordings(const HostContext& context, const Question&, PartSink*) {
  const Status ended = is_ended(context);
  if (!ended.ok()) return ended;
  std::vector<RecordingFile> all;
  std::string where;
  for (const std::string& run : context.runs) {
    auto files = files_of(run, context.host);
    if (!files.ok()) return files.status();
    if (files.value().empty()) continue;
    if (!all.empty())
      return Status::error("this agent serves several runs, " + where + " and " + run +
                           ", and one is collected at a time; start one for each");
    all = std::move(files.value());
    where = run;
  }
  return answer_of(all);
}

Result<HostAnswer> answer_recording(const HostContext& context, const Question& question,
                                    PartSink* parts) {
  auto asked = parse_recording_file(question.arguments);
  if (!asked.ok()) return asked.status();
  RecordingFile& file = asked.value();
  const auto path = find_file(context, file);
  if (!path.ok()) return path.status();
  const auto opened = open_to_send(path.value());
  if (opened == nullptr) return Status::error(path.value() + ": " + std::strerror(errno));
  const auto from = static_cast<long>(file.from);
  const bool sent = std::fseek(opened.get(), from, SEEK_SET) == 0 && parts != nullptr &&
                    send_rest(opened.get(), base_name(file.name), parts);
  if (!sent) return Status::error(path.value() + ": it could not be sent");
  const auto is = fingerprint_of(path.value());
  if (!is.ok()) return is.status();
  file.is = is.value();
  return answer_of({file});
}

Result<HostAnswer> answer_recording_taken(const HostContext& context, const Question& question,
                                          PartSink*) {
  const auto asked = parse_recording_file(question.arguments);
  if (!asked.ok()) return asked.status();
  const RecordingFile& file = asked.value();
  const auto path = find_file(context, file);
  if (!path.ok()) return path.status();
  const auto is = fingerprint_of(path.value());
  if (!is.ok()) return is.status();
  if (is.value() != file.is)
    return Status::error(path.value() + " is not what was collected; it stays");
  if (unlink(path.value().c_str()) != 0)
    return Status::error(path.value() + ": cannot be removed: " + std::strerror(errno));
  // The host's own folder goes with its last file, and that of captures; that of the run is the agent's.
  if (file.name.find('/') != std::string::npos) rmdir(dumper::parent_of(path.value()).c_str());
  return answer_of({file});
}

}  // namespace lockstep::live
