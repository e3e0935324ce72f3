// `lockstep diagnose DIR`: what hangs, and who slows the job down. Works while the job runs.
#include "analysis/diagnose.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdio>
#include <memory>

#include "analysis/gpu_times_text.h"
#include "analysis/recover.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace lockstep::cli {
namespace {

using analysis::Diagnosis;
using analysis::Finding;
using analysis::RunTables;
using Json = rapidjson::Writer<rapidjson::StringBuffer>;

struct Arguments {
  std::string directory;
  bool json = false;
};

void write_text(Json* out, const char* key, const std::string& text) {
  out->Key(key);
  out->String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

template <typename T, typename Write>
void write_list(Json* out, const char* key, const std::vector<T>& values, Write write) {
  out->Key(key);
  out->StartArray();
  for (const T& value : values) write(value);
  out->EndArray();
}

void write_finding(Json* out, const RunTables& run, const Finding& finding) {
  const auto text = [&](const std::string& s) {
    out->String(s.data(), static_cast<rapidjson::SizeType>(s.size()));
  };
  out->StartObject();
  write_text(out, "kind", finding.kind);
  char id[32] = "0x0";
  std::string name;
  if (finding.communicator != analysis::kNoRow) {
    const analysis::CommunicatorRow& comm = run.communicators[finding.communicator];
    snprintf(id, sizeof id, "0x%llx", static_cast<unsigned long long>(comm.comm_id));
    name = run.text(comm.name);
  }
  write_text(out, "comm", id);
  write_text(out, "comm_name", name);
  write_text(out, "op", run.text(finding.func));
  out->Key("ordinal");
  out->Uint(finding.ordinal);
  write_list(out, "ranks", finding.ranks, [&](int32_t rank) { out->Int(rank); });
  write_list(out, "culprits", finding.culprits, [&](int32_t rank) { out->Int(rank); });
  out->Key("since_s");
  out->Double(finding.since_s);
  out->Key("confidence");
  out->Double(finding.confidence);
  write_list(out, "evidence", finding.evidence, text);
  write_text(out, "text", finding.text);
  out->EndObject();
}

void print_as_json(const RunTables& run, const Diagnosis& diagnosis) {
  rapidjson::StringBuffer buffer;
  Json out(buffer);
  out.SetMaxDecimalPlaces(6);
  out.StartObject();
  write_list(&out, "findings", diagnosis.findings,
             [&](const Finding& finding) { write_finding(&out, run, finding); });
  write_list(&out, "not_known", diagnosis.not_known, [&](const std::string& s) {
    out.String(s.data(), static_cast<rapidjson::SizeType>(s.size()));
  });
  write_text(&out, "gpu_times", analysis::gpu_times_sentence(run));
  out.EndObject();
  print_json(std::string_view(buffer.GetString(), buffer.GetSize()));
}

void print_for_people(const RunTables& run, const Diagnosis& diagnosis) {
  std::string text;
  if (diagnosis.findings.empty()) text += "Nothing wrong found.\n";
  for (const Finding& finding : diagnosis.findings) {
    char sure[32];
    snprintf(sure, sizeof sure, "%.0f %%", finding.confidence * 100);
    text += finding.kind + " (" + sure + " sure): " + finding.text + "\n";
    constexpr size_t kShown = 12;
    for (size_t i = 0; i < finding.evidence.size() && i < kShown; ++i) {
      text += "    " + finding.evidence[i] + "\n";
    }
    if (finding.evidence.size() > kShown) {
      text += "    and " + std::to_string(finding.evidence.size() - kShown) + " more (--json)\n";
    }
  }
  if (!diagnosis.not_known.empty()) text += "Not known:\n";
  for (const std::string& line : diagnosis.not_known) text += "    " + line + "\n";
  const std::string gpu_times = analysis::gpu_times_sentence(run);
  if (!gpu_times.empty()) text += gpu_times + "\n";
  print(text);
}

// What killed processes left in memory belongs to the picture; a sentence for each that could not
// be saved.
std::vector<std::string> recover_dead(const std::string& directory) {
  std::vector<std::string> sentences;
  const auto recovered = dumper::recover_run(directory);
  if (!recovered.ok()) return sentences;  // load_run() says it better
  for (const dumper::RecoveredProcess& process : recovered.value()) {
    if (process.outcome == dumper::RecoveredProcess::Outcome::Failed)
      sentences.push_back(process.sentence);
  }
  return sentences;
}

int run_diagnose(const Arguments& arguments) {
  const std::vector<std::string> unsaved = recover_dead(arguments.directory);
  const auto run = analysis::load_run(arguments.directory, {});
  if (!run.ok()) return bad_input(run.message());
  if (run.value()->operations.empty() && run.value()->members.empty()) {
    return bad_input(
        arguments.directory + ": no communicator in it, so there is nothing to diagnose" +
        (run.value()->notes.empty() ? std::string() : "; " + run.value()->notes.front()));
  }
  Diagnosis diagnosis = analysis::diagnose(*run.value());
  diagnosis.not_known.insert(diagnosis.not_known.end(), unsaved.begin(), unsaved.end());
  if (arguments.json) {
    print_as_json(*run.value(), diagnosis);
  } else {
    print_for_people(*run.value(), diagnosis);
  }
  return diagnosis.findings.empty() ? kOk : kFinding;
}

}  // namespace

void add_diagnose(CLI::App& app, int& exit_code) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      add_command(app, exit_code, "diagnose",
                  "what hangs, who is late, who waits for whom; exit 1 when something is wrong",
                  [arguments] { return run_diagnose(*arguments); });
  command->add_option("DIR", arguments->directory, "run directory; the job may still be running")
      ->required();
  command->add_flag("--json", arguments->json, "print JSON");
}

}  // namespace lockstep::cli
