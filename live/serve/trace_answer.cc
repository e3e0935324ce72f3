#include "live/serve/trace_answer.h"

#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "analysis/export/export.h"
#include "analysis/judge/blame.h"
#include "analysis/logs/read_logs.h"
#include "base/system.h"
#include "live/http/gate.h"
#include "live/http/parameters.h"

namespace lockstep::serve {
namespace {

// A folder of our own that goes away with what is in it.
class Scratch {
 public:
  Scratch() {
    std::error_code error;
    path_ = std::filesystem::temp_directory_path(error).string() + "/lockstep-trace.XXXXXX";
    if (error || mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

dumper::Selection selection_of(Parameters* parameters, int64_t run_ns) {
  using Since = dumper::Instant::Since;
  dumper::Selection selection;
  selection.ranks = parameters->ranks("ranks");
  selection.from = {Since::RunStart, parameters->number("from", 0)};
  selection.to = {Since::RunStart, parameters->number("to", run_ns)};
  return selection;
}

Status write_trace(const ServedRun& run, dumper::Selection selection, const std::string& path,
                   bool* too_large) {
  analysis::LoadOptions load;
  load.selection = std::move(selection);
  const auto tables = analysis::load_run(run.directory(), load);
  if (!tables.ok()) return tables.status();
  analysis::add_causes(tables.value().get());
  analysis::add_own_logs(run.directory(), 0, tables.value().get());
  const auto input = analysis::export_input(run.directory(), *tables.value());
  analysis::ExportOptions options;
  options.format = "perfetto";
  options.output = path;
  options.most_bytes = kMostTraceBytes;
  analysis::ExportSummary summary;
  Status written = analysis::export_run(input, options, &summary);
  *too_large = !written.ok() && summary.too_large;
  return written;
}

}  // namespace

HttpResponse answer_trace(const ServedRun& run, const HttpRequest& request) {
  Parameters parameters(request, {"ranks", "from", "to", "format"});
  dumper::Selection selection = selection_of(&parameters, run.pyramid().length_ns());
  parameters.word("format", {"perfetto"});
  if (!parameters.error().empty()) return error_response(400, parameters.error());
  // One at a time: each reads the recording again.
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  const Scratch scratch;
  if (scratch.path().empty()) return error_response(503, "no folder for temporary files");
  const std::string path = scratch.path() + "/trace.perfetto";
  bool too_large = false;
  const Status written = write_trace(run, std::move(selection), path, &too_large);
  if (!written.ok())
    return error_response(
        too_large ? 413 : 400,
        too_large ? "this trace is larger than 64 MiB; ask for a shorter time or fewer ranks"
                  : written.message());
  auto bytes = read_small_file(path, kMostTraceBytes);
  if (!bytes.ok()) return error_response(503, "the trace cannot be read back: " + bytes.message());
  HttpResponse response;
  response.type = "application/octet-stream";
  response.headers.emplace_back("Content-Disposition",
                                "attachment; filename=\"lockstep.perfetto-trace\"");
  response.body = std::move(bytes.value());
  return response;
}

}  // namespace lockstep::serve
