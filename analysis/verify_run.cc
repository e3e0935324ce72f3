#include "analysis/verify_run.h"

#include "analysis/verify_process.h"
#include "dumper/json_reading.h"

namespace lockstep::analysis {
namespace {

void put_list(dumper::JsonWriter* out, const char* name,
              const std::vector<std::string>& sentences) {
  dumper::put_key(out, name);
  out->StartArray();
  for (const std::string& text : sentences)
    out->String(text.data(), static_cast<dumper::json::SizeType>(text.size()));
  out->EndArray();
}

}  // namespace

std::string RunVerification::to_json() const {
  dumper::json::StringBuffer text;
  dumper::JsonWriter out(text);
  out.StartObject();
  dumper::put_key(&out, "complete");
  out.Bool(differences.empty());
  dumper::put_uint(&out, "processes", processes);
  dumper::put_uint(&out, "chunks", chunks);
  dumper::put_uint(&out, "records", records);
  dumper::put_uint(&out, "calls", calls);
  dumper::put_uint(&out, "lost", lost);
  dumper::put_uint(&out, "in_progress", in_progress);
  put_list(&out, "differences", differences);
  put_list(&out, "notes", notes);
  out.EndObject();
  return text.GetString();
}

Result<RunVerification> verify_run(const std::string& directory) {
  const auto run = dumper::RunDirectory::open(directory);
  if (!run.ok()) return run.status();
  RunVerification verification;
  for (const dumper::ProcessEntry& process : run.value().processes) {
    ++verification.processes;
    ProcessVerifier(process, &verification).run();
  }
  return verification;
}

}  // namespace lockstep::analysis
