#include "analysis/inspect/record_json.h"

#include <string_view>

#include "analysis/tables/labels.h"
#include "base/json.h"
#include "lockstep/record_shape.h"

namespace lockstep::analysis {
namespace {

void put_address(JsonWriter* out, const char* name, uint64_t address) {
  put_text(out, name, hex_text(address));
}

void put_string(JsonWriter* out, const char* name, uint64_t number,
                const dumper::ProcessRecords& process) {
  put_key(out, name);
  if (number == kNullString) {
    out->Null();
    return;
  }
  const std::string& text = process.text(number);
  out->String(text.data(), static_cast<json::SizeType>(text.size()));
}

void put_signed(JsonWriter* out, const char* name, uint64_t value) {
  put_key(out, name);
  out->Int(static_cast<int32_t>(value));
}

void put_argument(JsonWriter* out, const char* name, uint64_t value) {
  if (value != kNoArgument) return put_uint(out, name, value);
  put_key(out, name);
  out->Null();
}

void put_field(JsonWriter* out, const RecordField& field, const uint64_t* words,
               const dumper::ProcessRecords& process) {
  const uint64_t value = field.in(words);
  switch (field.type) {
    case FieldType::Unsigned:
    case FieldType::Event:
    case FieldType::GpuTime:
      return put_uint(out, field.name, value);
    case FieldType::Signed:
      return put_signed(out, field.name, value);
    case FieldType::Flag:
      put_key(out, field.name);
      out->Bool(value != 0);
      return;
    case FieldType::Text:
      return put_string(out, field.name, value, process);
    case FieldType::Address:
      return put_address(out, field.name, value);
    case FieldType::Argument:
      return put_argument(out, field.name, value);
  }
}

void put_event(JsonWriter* out, Tag tag, const uint64_t* words,
               const dumper::ProcessRecords& process) {
  const EventId id = EventRecord::read(words).id;
  put_text(out, "call", is_start(tag) ? "start" : is_stop(tag) ? "stop" : "state");
  put_text(out, "kind", kKindNames[static_cast<unsigned>(kind_of(id))]);
  put_uint(out, "id", id);
  if (is_state(tag)) put_text(out, "state", kStateNames[tag - kStateTag]);
  for (const RecordField& field : fields_of(tag)) {
    if (field.word != 1) put_field(out, field, words, process);
  }
}

void put_comm(JsonWriter* out, Tag tag, const uint64_t* words,
              const dumper::ProcessRecords& process) {
  put_text(out, "call",
           tag == kCommInitTag   ? "comm_init"
           : tag == kCommInfoTag ? "comm_info"
                                 : "comm_finalize");
  for (const RecordField& field : fields_of(tag)) {
    // Every line begins with the communicator and its rank.
    const bool is_told = field.word == 1 || std::string_view(field.name) == "rank";
    if (!is_told) put_field(out, field, words, process);
  }
}

}  // namespace

uint32_t comm_of_record(const dumper::TimedRecord& record) {
  return record.tag() >= kCommInitTag
             ? static_cast<uint32_t>(CommRecord::read(record.words).comm & kLastComm)
             : comm_of(EventRecord::read(record.words).id);
}

void append_record_json(const dumper::TimedRecord& record, const dumper::ProcessRecords& process,
                        const RecordPlace& place, std::string* line) {
  json::StringBuffer text;
  JsonWriter out(text);
  out.StartObject();
  put_uint(&out, "raw_ns", record.raw_ns);
  put_uint(&out, "real_ns", record.clock->real_ns(ticks_of(record.words[0])));
  put_text(&out, "host", place.host);
  put_uint(&out, "pid", place.pid);
  put_uint(&out, "tid", record.tid);
  put_text(&out, "thread", *record.thread_name);
  const uint32_t comm = comm_of_record(record);
  put_uint(&out, "comm", comm);
  const auto facts = process.comms().all().find(comm);
  if (facts != process.comms().all().end()) put_uint(&out, "rank", facts->second.rank);
  if (record.tag() < kCommInitTag) {
    put_event(&out, record.tag(), record.words, process);
  } else {
    put_comm(&out, record.tag(), record.words, process);
  }
  out.EndObject();
  line->append(text.GetString(), text.GetSize());
}

}  // namespace lockstep::analysis
