#include "analysis/report/kept_findings.h"

#include <filesystem>
#include <string_view>

#include "base/json.h"
#include "base/output_file.h"
#include "base/system.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20;

std::string folder_in(const std::string& directory) { return directory + "/findings"; }

// False where the text is no answer that was kept under this name.
bool parse_kept(const std::string& text, const char* name, json::Document* document) {
  const char* list = std::string_view(name) == kKeptStacks ? "trees" : "findings";
  return parse_json(text, document) && int_member(*document, "taken_unix_ns") > 0 &&
         list_member(*document, list) != nullptr;
}

}  // namespace

std::string kept_path(const std::string& directory, const char* name) {
  return folder_in(directory) + "/" + name;
}

void keep_answer(const std::string& directory, const char* name, const std::string& json) {
  std::error_code error;
  std::filesystem::create_directory(folder_in(directory), error);
  FileTerms terms;
  terms.mode = 0600;
  static_cast<void>(write_file(kept_path(directory, name), json, IfExists::Replace, terms));
}

std::string kept_answer(const std::string& directory, const char* name, size_t most_bytes) {
  auto text = read_small_file(kept_path(directory, name), most_bytes);
  json::Document document;
  return text.ok() && parse_kept(text.value(), name, &document) ? std::move(text.value()) : "";
}

KeptFindings kept_findings(const std::string& directory) {
  KeptFindings kept;
  json::Document document;
  const std::string text = kept_answer(directory, kKeptDiagnosis, kMostBytes);
  if (text.empty() || !parse_kept(text, kKeptDiagnosis, &document)) return kept;
  kept.taken_unix_ns = int_member(document, "taken_unix_ns");
  for (const json::Value& one : elements_of(document, "findings")) {
    const json::Value* confidence = member(one, "confidence");
    kept.findings.push_back(
        {text_member(one, "kind"), text_member(one, "text"),
         confidence != nullptr && confidence->IsNumber() ? confidence->GetDouble() : 0});
  }
  return kept;
}

int64_t kept_stacks_unix_ns(const std::string& directory) {
  json::Document document;
  const std::string text = kept_answer(directory, kKeptStacks, kMostBytes);
  return !text.empty() && parse_kept(text, kKeptStacks, &document)
             ? int_member(document, "taken_unix_ns")
             : 0;
}

}  // namespace lockstep::analysis
