#include "cli/run_note.h"

#include <rapidjson/document.h>
#include <rapidjson/istreamwrapper.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdio>
#include <fstream>
#include <numeric>

#include "cli/output.h"

namespace lockstep::cli {
namespace {
constexpr const char* kLocal = "node_local";
}

void RunNote::write() const {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> out(text);
  const auto add = [&](const char* key, const std::string& value) {
    if (value.empty()) return;
    out.Key(key);
    out.String(value.c_str());
  };
  out.StartObject();
  add("job", job.job);
  add("array_job", job.array_job);
  add("array_task", job.array_task);
  add("restart", job.restart);
  add("step", job.step);
  out.Key("nodes");
  out.Int(std::accumulate(job.nodes.begin(), job.nodes.end(), 0));
  add("command", command);
  add("started", started);
  add(kLocal, local);
  add("ended", ended);
  if (exit_code) {
    out.Key("exit_code");
    out.Int(*exit_code);
  }
  out.EndObject();
  const std::string path = directory + "/run.json";
  const std::string fresh = path + ".new";
  FILE* file = std::fopen(fresh.c_str(), "w");
  const bool written = file != nullptr && std::fprintf(file, "%s\n", text.GetString()) > 0;
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (!written || !closed || std::rename(fresh.c_str(), path.c_str()) != 0)
    complain("cannot write " + path);
}

std::string local_of(const std::string& directory) {
  std::ifstream file(directory + "/run.json");
  rapidjson::IStreamWrapper stream(file);
  rapidjson::Document note;
  note.ParseStream<rapidjson::kParseIterativeFlag>(stream);
  if (note.HasParseError() || !note.IsObject()) return "";
  const auto found = note.FindMember(kLocal);
  return found != note.MemberEnd() && found->value.IsString() ? found->value.GetString() : "";
}

}  // namespace lockstep::cli
