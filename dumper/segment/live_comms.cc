#include "dumper/segment/live_comms.h"

#include "base/json.h"
#include "lockstep/record_fields.h"
#include "lockstep/shared_blocks.h"

namespace lockstep::dumper {
namespace {

std::string name_of(const LiveComms::Names& names, uint64_t number) {
  for (const auto& [n, text] : names) {
    if (n == number) return text;
  }
  return {};
}

}  // namespace

unsigned LiveComms::name_in(const uint64_t* words) {
  switch (tag_of(words[0])) {
    case kCommInitTag:
      return CommInitRecord::read(words).name;
    case kCommInfoTag:
      return CommInfoRecord::read(words).name;
    default:
      return kNullString;
  }
}

void LiveComms::apply(const uint64_t* words, const Names& names) {
  const Tag tag = tag_of(words[0]);
  const auto comm = static_cast<uint32_t>(CommRecord::read(words).comm & kLastComm);
  CommFacts& facts = comms_[comm];
  facts.comm = comm;
  if (tag == kCommInitTag) {
    const auto init = CommInitRecord::read(words);
    facts.id = init.comm_id;
    facts.rank = init.rank;
    facts.ranks = init.ranks;
    facts.nodes = init.nodes;
    facts.abi_version = init.abi_version;
    facts.name = name_of(names, init.name);
    facts.init_ticks = ticks_of(words[0]);
    facts.finalize_ticks = 0;
  } else if (tag == kCommInfoTag) {
    const auto info = CommInfoRecord::read(words);
    facts.id = info.comm_id;
    facts.name = name_of(names, info.name);
  } else if (tag == kCommFinalizeTag) {
    facts.finalize_ticks = ticks_of(words[0]);
  }
}

void LiveComms::forget_finalized() {
  for (auto it = comms_.begin(); it != comms_.end();) {
    it = it->second.finalize_ticks != 0 ? comms_.erase(it) : std::next(it);
  }
}

std::string LiveComms::to_json() const {
  json::StringBuffer text;
  JsonWriter writer(text);
  writer.StartObject();
  put_key(&writer, "comms");
  writer.StartArray();
  for (const auto& [comm, facts] : comms_) {
    if (facts.finalize_ticks != 0) continue;
    writer.StartObject();
    put_uint(&writer, "comm", comm);
    put_uint(&writer, "id", facts.id);
    put_text(&writer, "name", facts.name);
    put_uint(&writer, "rank", facts.rank);
    put_uint(&writer, "ranks", facts.ranks);
    put_uint(&writer, "nodes", facts.nodes);
    put_uint(&writer, "abi_version", facts.abi_version);
    put_uint(&writer, "init_ticks", facts.init_ticks);
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
  return text.GetString();
}

Status LiveComms::merge_json(std::string_view text) {
  json::Document document;
  if (!parse_json(text, &document))
    return Status::error("the list of communicators is not a JSON object");
  for (const json::Value& entry : elements_of(document, "comms")) {
    const uint64_t comm = uint_member(entry, "comm");
    if (comm > kLastComm || comms_.count(static_cast<uint32_t>(comm)) != 0) continue;
    CommFacts facts;
    facts.comm = static_cast<uint32_t>(comm);
    facts.id = uint_member(entry, "id");
    facts.name = text_member(entry, "name");
    facts.rank = static_cast<uint32_t>(uint_member(entry, "rank"));
    facts.ranks = static_cast<uint32_t>(uint_member(entry, "ranks"));
    facts.nodes = static_cast<uint32_t>(uint_member(entry, "nodes"));
    facts.abi_version = static_cast<uint32_t>(uint_member(entry, "abi_version"));
    facts.init_ticks = uint_member(entry, "init_ticks");
    comms_.emplace(facts.comm, std::move(facts));
  }
  return Status();
}

}  // namespace lockstep::dumper
