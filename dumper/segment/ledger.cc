#include "dumper/segment/ledger.h"

#include <charconv>

#include "base/json.h"

namespace lockstep::dumper {
namespace {

// Calls by kind and call as {"Coll":[starts,states,stops],...}; kinds without calls are left out.
void put_calls(JsonWriter* writer, const char* name, const CallCounts& calls) {
  put_key(writer, name);
  writer->StartObject();
  for (unsigned kind = 0; kind < kCountedKinds; ++kind) {
    uint64_t sum = 0;
    for (unsigned call = 0; call < kCalls; ++call) sum |= calls[kind * kCalls + call];
    if (sum == 0) continue;
    put_key(writer, kKindNames[kind]);
    writer->StartArray();
    for (unsigned call = 0; call < kCalls; ++call) writer->Uint64(calls[kind * kCalls + call]);
    writer->EndArray();
  }
  writer->EndObject();
}

// {"Coll":4096,...}; kinds without any are left out.
using KindBytes = std::array<uint64_t, kKinds + 1>;
void put_kind_bytes(JsonWriter* writer, const char* name, const KindBytes& bytes) {
  put_key(writer, name);
  writer->StartObject();
  for (unsigned kind = 0; kind <= kKinds; ++kind) {
    if (bytes[kind] != 0) put_uint(writer, kKindNames[kind], bytes[kind]);
  }
  writer->EndObject();
}

template <size_t N>
unsigned index_of(const char* const (&names)[N], const std::string& name) {
  unsigned i = 0;
  while (i < N && name != names[i]) ++i;
  return i;
}

bool get_calls(const json::Value& from, const char* name, CallCounts* calls) {
  const json::Value* object = member(from, name);
  if (object == nullptr) return true;
  if (!object->IsObject()) return false;
  for (const auto& entry : object->GetObject()) {
    const unsigned kind = index_of(kKindNames, text_of(entry.name));
    if (kind >= kCountedKinds || !entry.value.IsArray() || entry.value.Size() != kCalls)
      return false;
    for (unsigned call = 0; call < kCalls; ++call) {
      if (!entry.value[call].IsUint64()) return false;
      (*calls)[kind * kCalls + call] = entry.value[call].GetUint64();
    }
  }
  return true;
}

// {"15":3,...}
void put_unknown(JsonWriter* writer, const char* name, const std::map<unsigned, uint64_t>& counts) {
  put_key(writer, name);
  writer->StartObject();
  for (const auto& [number, count] : counts) put_uint(writer, std::to_string(number), count);
  writer->EndObject();
}

bool get_unknown(const json::Value& from, const char* name, std::map<unsigned, uint64_t>* counts) {
  const json::Value* object = member(from, name);
  if (object == nullptr) return true;
  if (!object->IsObject()) return false;
  for (const auto& entry : object->GetObject()) {
    const std::string key = text_of(entry.name);
    unsigned number = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
    if (error != std::errc() || end != key.data() + key.size() || number >= kUnknownNumbers ||
        !entry.value.IsUint64())
      return false;
    (*counts)[number] = entry.value.GetUint64();
  }
  return true;
}

// One loss: [communicator, kind, call, reason, count].
bool get_loss(const json::Value& loss, Ledger* ledger) {
  if (!loss.IsArray() || loss.Size() != 5 || !loss[0].IsUint() || !loss[4].IsUint64()) return false;
  const unsigned kind = index_of(kKindNames, text_of(loss[1]));
  const unsigned call = index_of(kCallNames, text_of(loss[2]));
  const unsigned why = index_of(kLossNames, text_of(loss[3]));
  if (loss[0].GetUint() > kLastComm || kind >= kCountedKinds || call >= kCalls || why >= kLosses)
    return false;
  ledger->add_loss(loss[0].GetUint(), kind, static_cast<Call>(call), static_cast<Loss>(why),
                   loss[4].GetUint64());
  return true;
}

}  // namespace

void Ledger::add_loss(uint32_t comm, unsigned kind, Call call, Loss why, uint64_t count) {
  if (count != 0) losses[make_loss_key(comm, kind, call, why)] += count;
}

uint64_t Ledger::lost(Loss why) const {
  uint64_t calls = 0;
  for (const auto& [key, count] : losses) calls += loss_why(key) == why ? count : 0;
  return calls;
}

void Ledger::take_unknown(const ArenaHeader& arena) {
  for (unsigned i = 0; i < kUnknownNumbers; ++i) {
    const uint64_t starts = arena.unknown_kinds[i].load(std::memory_order_relaxed);
    const uint64_t states = arena.unknown_states[i].load(std::memory_order_relaxed);
    if (starts != 0) unknown_kinds[i] = starts;
    if (states != 0) unknown_states[i] = states;
  }
}

std::string ledger_to_json(const Ledger& ledger) {
  json::StringBuffer text;
  JsonWriter writer(text);
  writer.StartObject();
  put_uint(&writer, "raw_ns", ledger.raw_ns);
  put_key(&writer, "losses");
  writer.StartArray();
  for (const auto& [key, count] : ledger.losses) {
    writer.StartArray();
    writer.Uint(loss_comm(key));
    writer.String(kKindNames[std::min(loss_kind(key), kCountedKinds - 1)]);
    writer.String(kCallNames[std::min(static_cast<unsigned>(loss_call(key)), kCalls - 1)]);
    writer.String(kLossNames[std::min(static_cast<unsigned>(loss_why(key)), kLosses - 1)]);
    writer.Uint64(count);
    writer.EndArray();
  }
  writer.EndArray();
  put_calls(&writer, "calls_without_block", ledger.calls_without_block);
  put_calls(&writer, "calls_given_up", ledger.calls_given_up);
  put_uint(&writer, "first_segment", ledger.first_segment);
  put_calls(&writer, "in_progress", ledger.in_progress);
  put_key(&writer, "recovered");
  writer.Bool(ledger.recovered);
  if (ledger.exited) {
    put_key(&writer, "exited");
    writer.Bool(true);
  }
  if (ledger.shed_to_raw_ns != 0) {
    put_uint(&writer, "shed_from_raw_ns", ledger.shed_from_raw_ns);
    put_uint(&writer, "shed_to_raw_ns", ledger.shed_to_raw_ns);
  }
  put_unknown(&writer, "unknown_kinds", ledger.unknown_kinds);
  put_unknown(&writer, "unknown_states", ledger.unknown_states);
  put_uint(&writer, "init_ns", ledger.init_ns);
  put_uint(&writer, "elapsed_ns", ledger.elapsed_ns);
  put_uint(&writer, "callbacks_ns", ledger.callbacks_ns);
  put_uint(&writer, "threads_ns", ledger.threads_ns);
  put_uint(&writer, "memory_high_water_bytes", ledger.memory_high_water_bytes);
  put_kind_bytes(&writer, "most_waiting_bytes", ledger.most_waiting_bytes);
  put_texts(&writer, "notes", ledger.notes);
  writer.EndObject();
  return text.GetString();
}

Result<Ledger> ledger_from_json(std::string_view text) {
  json::Document document;
  if (!parse_json(text, &document)) return Status::error("the ledger is not a JSON object");
  Ledger ledger;
  ledger.raw_ns = uint_member(document, "raw_ns");
  ledger.first_segment = static_cast<uint32_t>(uint_member(document, "first_segment"));
  if (member(document, "losses") != nullptr && list_member(document, "losses") == nullptr)
    return Status::error("the ledger's losses are not a list");
  for (const json::Value& loss : elements_of(document, "losses")) {
    if (!get_loss(loss, &ledger)) return Status::error("the ledger holds a loss nobody can read");
  }
  if (!get_calls(document, "calls_without_block", &ledger.calls_without_block) ||
      !get_calls(document, "calls_given_up", &ledger.calls_given_up) ||
      !get_calls(document, "in_progress", &ledger.in_progress) ||
      !get_unknown(document, "unknown_kinds", &ledger.unknown_kinds) ||
      !get_unknown(document, "unknown_states", &ledger.unknown_states)) {
    return Status::error("the ledger holds call counts nobody can read");
  }
  ledger.recovered = bool_member(document, "recovered");
  ledger.exited = bool_member(document, "exited");
  ledger.shed_from_raw_ns = uint_member(document, "shed_from_raw_ns");
  ledger.shed_to_raw_ns = uint_member(document, "shed_to_raw_ns");
  ledger.init_ns = uint_member(document, "init_ns");
  ledger.elapsed_ns = uint_member(document, "elapsed_ns");
  ledger.callbacks_ns = uint_member(document, "callbacks_ns");
  ledger.threads_ns = uint_member(document, "threads_ns");
  ledger.memory_high_water_bytes = uint_member(document, "memory_high_water_bytes");
  if (const json::Value* waiting = member(document, "most_waiting_bytes")) {
    for (unsigned kind = 0; kind <= kKinds; ++kind)
      ledger.most_waiting_bytes[kind] = uint_member(*waiting, kKindNames[kind]);
  }
  ledger.notes = texts_member(document, "notes");
  return ledger;
}

}  // namespace lockstep::dumper
