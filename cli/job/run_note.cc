#include "cli/job/run_note.h"

#include <fstream>
#include <iterator>
#include <numeric>

#include "base/json.h"
#include "base/output_file.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {
constexpr const char* kLocal = "node_local";
}

void RunNote::write() const {
  JsonFields out;
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) out.string(key, value);
  };
  out.object([&] {
    add("job", job.job);
    add("array_job", job.array_job);
    add("array_task", job.array_task);
    add("restart", job.restart);
    add("step", job.step);
    out.number("nodes", std::accumulate(job.nodes.begin(), job.nodes.end(), 0));
    add("command", command);
    add("started", started);
    add(kLocal, local);
    add("ended", ended);
    if (exit_code) out.number("exit_code", *exit_code);
  });
  const std::string path = directory + "/run.json";
  const Status written = write_file(path, std::string(out.text()) + "\n", IfExists::Replace);
  if (!written.ok()) complain(written.message());
}

std::map<std::string, std::string> read_run_note(const std::string& directory) {
  std::ifstream file(directory + "/run.json");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::map<std::string, std::string> members;
  json::Document note;
  if (!parse_json(text, &note)) return members;
  for (const auto& [name, value] : note.GetObject()) {
    members[text_of(name)] =
        value.IsInt() ? std::to_string(value.GetInt()) : text_of(value);
  }
  return members;
}

std::string local_of(const std::string& directory) { return read_run_note(directory)[kLocal]; }

}  // namespace lockstep::cli
