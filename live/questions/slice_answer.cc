#include "live/questions/slice_answer.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/clock_ns.h"
#include "base/text.h"
#include "dumper/run/run_files.h"
#include "dumper/run/slice.h"
#include "live/local/local_processes.h"
#include "live/questions/ctl_answer.h"
#include "live/questions/file_parts.h"
#include "live/questions/slice_request.h"

namespace lockstep::live {
namespace {

// One run's part of this host, measured before anything is sent.
class HostSlice {
 public:
  HostSlice(std::string run, std::string host) : run_(std::move(run)), host_(std::move(host)) {}

  Status look(const SliceRequest& request) {
    const dumper::Selection& selection = request.selection;
    auto opened = dumper::RunDirectory::open(run_);
    if (!opened.ok()) return opened.status();
    directory_ = std::move(opened.value());
    auto& processes = directory_.processes;
    processes.erase(std::remove_if(processes.begin(), processes.end(),
                                   [this](const dumper::ProcessEntry& process) {
                                     return process.host != host_;
                                   }),
                    processes.end());
    if (processes.empty())
      return Status::error(run_ + ": nothing recorded by " + host_ + " is there");
    const auto spans = dumper::select(selection, &directory_);
    if (!spans.ok()) return spans.status();
    add_other_files(request.host_load);
    for (size_t i = 0; i < processes.size(); ++i) add(processes[i], spans.value()[i], request);
    return Status();
  }
  uint64_t bytes() const { return bytes_; }
  const std::vector<SliceRow>& rows() const { return rows_; }

  Status send(PartSink* parts) const {
    for (const dumper::Slice& slice : slices_) {
      Status written =
          slice.write([&](std::string_view bytes) { return parts->put(slice.name(), bytes); });
      if (!written.ok()) return written;
    }
    for (const std::string& path : others_) {
      const auto file = open_to_send(path);
      if (file == nullptr) continue;  // gone meanwhile
      if (!send_rest(file.get(), base_name(path), parts))
        return Status::error(path + ": it could not be sent");
    }
    return Status();
  }

 private:
  void add(const dumper::ProcessEntry& process, dumper::RawSpan span, const SliceRequest& request) {
    SliceRow row;
    row.host = process.host;
    row.pid = process.pid;
    row.uid = process.uid;
    row.span = span;
    if (const auto whole = dumper::span_of(process)) {
      row.last_raw_ns = whole->last_raw_ns;
      row.last_real_ns = static_cast<int64_t>(whole->last_raw_ns) + whole->last_real_offset_ns;
    }
    dumper::RawSpan read = dumper::with_margin(span);
    // Without a model the run's clock is that of its host.
    if (request.rows_from_ns && !has_clock_model_)
      read.from_ns = std::max(read.from_ns,
                              static_cast<uint64_t>(std::max<int64_t>(*request.rows_from_ns, 0)));
    if (request.rows_to_ns && !has_clock_model_)
      read.to_ns =
          std::min(read.to_ns, static_cast<uint64_t>(std::max<int64_t>(*request.rows_to_ns, 0)));
    dumper::Slice slice(process, read, request.kinds);
    const dumper::SliceContents& contents = slice.contents();
    row.has_shared = contents.has_pairs || contents.has_foreign;
    row.bytes = has_any(contents.ranks, request.only_ranks) ? slice.bytes() : 0;
    if (row.bytes != 0) slices_.push_back(std::move(slice));
    bytes_ += row.bytes;
    rows_.push_back(std::move(row));
  }

  static bool has_any(const std::set<int64_t>& ranks,
                      const std::optional<std::pair<int64_t, int64_t>>& wanted) {
    if (!wanted) return true;
    const auto first = ranks.lower_bound(wanted->first);
    return first != ranks.end() && *first <= wanted->second;
  }

  // Clock records, GPU clocks and the host's samples, whole.
  void add_other_files(bool host_load) {
    const auto files = dumper::run_files(run_);
    for (const std::string& path : files.ok() ? files.value() : std::vector<std::string>()) {
      const std::string name = base_name(path);
      const bool ours = starts_with(name, host_ + ".") &&
                        (has_ending(name, ".clock") || (host_load && has_ending(name, ".load")));
      const bool model = name == "clock_model.json";
      has_clock_model_ = has_clock_model_ || model;
      if (!ours && !model) continue;
      others_.push_back(path);
      bytes_ += size_of(path);
    }
  }

  static uint64_t size_of(const std::string& path) {
    const auto file = open_to_send(path);
    if (file == nullptr || std::fseek(file.get(), 0, SEEK_END) != 0) return 0;
    return static_cast<uint64_t>(std::max<long>(std::ftell(file.get()), 0));
  }

  const std::string run_, host_;
  dumper::RunDirectory directory_;
  std::vector<dumper::Slice> slices_;
  std::vector<std::string> others_;
  std::vector<SliceRow> rows_;
  uint64_t bytes_ = 0;
  bool has_clock_model_ = false;
};

// What those of the host still have in memory goes into their files. A sentence for each that did not
// do so.
std::vector<std::string> flush(const HostContext& context, const std::string& run,
                               const Question& question) {
  std::vector<ControlledProcess> controlled;
  std::vector<uint32_t> pids;
  for (const LocalProcess& process : local_processes({context.host, {run}})) {
    controlled.push_back(process.control.value_or(ControlledProcess{}));
    pids.push_back(process.pid);
  }
  const auto answers = ask_processes_for(question.asker, controlled, "flush", context.deadline_ns);
  std::vector<std::string> failed;
  for (size_t i = 0; i < answers.size(); ++i) {
    const Status done = was_done(answers[i]);
    if (!done.ok()) failed.push_back(not_flushed(pids[i], done.message()));
  }
  return failed;
}

}  // namespace

Result<HostAnswer> answer_slice(const HostContext& context, const Question& question,
                                PartSink* parts) {
  const auto request = parse_slice_request(question.arguments);
  if (!request.ok()) return request.status();
  if (context.runs.size() != 1)
    return Status::error("a part of one run can be sent, and this host has " +
                         std::to_string(context.runs.size()) + "; name one");
  const int64_t began_ns = mono_now_ns();
  HostAnswer answer;
  answer.failed = flush(context, context.runs.front(), question);
  HostSlice slice(context.runs.front(), context.host);
  const Status found = slice.look(request.value());
  if (!found.ok()) return found;
  if (slice.bytes() > request.value().max_bytes)
    return Status::error("the part asked for has " + std::to_string(slice.bytes()) + " bytes of " +
                         std::to_string(slice.rows().size()) + " processes, and " +
                         std::to_string(request.value().max_bytes) +
                         " are allowed; ask for less time or fewer ranks, or allow more with "
                         "--max-bytes");
  if (parts == nullptr) return Status::error("there is nobody to take the files");
  const Status sent = slice.send(parts);
  if (!sent.ok()) return sent;
  answer.rows = to_json(slice.rows());
  answer.oldest_data_ns = mono_now_ns() - began_ns;
  return answer;
}

}  // namespace lockstep::live
