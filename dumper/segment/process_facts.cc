#include "dumper/segment/process_facts.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cinttypes>
#include <cstdio>

#include "base/json.h"
#include "lockstep/config.h"

namespace lockstep::dumper {

std::string digest_of(const std::vector<OptionFact>& options) {
  std::string text;
  for (const OptionFact& option : options) {
    if (!is_each_hosts_own(option.name)) text += option.name + '=' + option.value + '\n';
  }
  char digest[17];
  std::snprintf(digest, sizeof digest, "%016" PRIx64,
                static_cast<uint64_t>(XXH3_64bits(text.data(), text.size())));
  return digest;
}

std::string facts_to_json(const ProcessFacts& facts) {
  json::StringBuffer text;
  JsonWriter writer(text);
  writer.StartObject();
  put_text(&writer, "host", facts.host);
  put_text(&writer, "boot_id", facts.boot_id);
  put_uint(&writer, "pid", facts.pid);
  put_uint(&writer, "process_start", facts.process_start);
  put_text(&writer, "command", facts.command);
  put_uint(&writer, "abi_version", facts.abi_version);
  put_uint(&writer, "activation_mask", facts.activation_mask);
  put_text(&writer, "library_version", facts.library_version);
  put_text(&writer, "nccl_library", facts.nccl_library);
  put_uint(&writer, "nccl_version", facts.nccl_version);
  put_text(&writer, "nccl_file", facts.nccl_file);
  if (!facts.driver_version.empty()) put_text(&writer, "driver_version", facts.driver_version);
  put_text(&writer, "tick_source", facts.tick_source);
  put_text(&writer, "prometheus_dir", facts.prometheus_dir);
  put_key(&writer, "job");
  writer.StartObject();
  for (const JobFact& fact : facts.job) put_text(&writer, fact.name, fact.value);
  writer.EndObject();
  put_key(&writer, "options");
  writer.StartArray();
  for (const OptionFact& option : facts.options) {
    writer.StartObject();
    put_text(&writer, "name", option.name);
    put_text(&writer, "value", option.value);
    put_text(&writer, "origin", option.origin);
    writer.EndObject();
  }
  writer.EndArray();
  put_text(&writer, kSettingsDigest, facts.settings_digest);
  put_texts(&writer, "notes", facts.notes);
  writer.EndObject();
  return text.GetString();
}

Result<ProcessFacts> facts_from_json(std::string_view text) {
  json::Document document;
  if (!parse_json(text, &document)) return Status::error("the process facts are not a JSON object");
  ProcessFacts facts;
  facts.host = text_member(document, "host");
  facts.boot_id = text_member(document, "boot_id");
  facts.pid = static_cast<uint32_t>(uint_member(document, "pid"));
  facts.process_start = uint_member(document, "process_start");
  facts.command = text_member(document, "command");
  facts.abi_version = static_cast<uint32_t>(uint_member(document, "abi_version"));
  facts.activation_mask = uint_member(document, "activation_mask");
  facts.library_version = text_member(document, "library_version");
  facts.nccl_library = text_member(document, "nccl_library");
  facts.nccl_version = static_cast<uint32_t>(uint_member(document, "nccl_version"));
  facts.nccl_file = text_member(document, "nccl_file");
  facts.driver_version = text_member(document, "driver_version");
  facts.tick_source = text_member(document, "tick_source");
  facts.prometheus_dir = text_member(document, "prometheus_dir");
  const json::Value* job = member(document, "job");
  if (job != nullptr && job->IsObject()) {
    for (const auto& entry : job->GetObject())
      facts.job.push_back({text_of(entry.name), text_of(entry.value)});
  }
  for (const json::Value& option : elements_of(document, "options")) {
    facts.options.push_back(
        {text_member(option, "name"), text_member(option, "value"), text_member(option, "origin")});
  }
  facts.settings_digest = text_member(document, kSettingsDigest);
  facts.notes = texts_member(document, "notes");
  return facts;
}

std::string with_driver_version(std::string facts, std::string_view version) {
  if (version.empty()) return facts;
  auto known = facts_from_json(facts);
  if (!known.ok()) return facts;
  known.value().driver_version = version;
  return facts_to_json(known.value());
}

}  // namespace lockstep::dumper
