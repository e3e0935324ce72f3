#include "analysis/inspect/record_json.h"

#include <string_view>

#include "analysis/tables/labels.h"
#include "base/json.h"

namespace lockstep::analysis {
namespace {

// Every line begins with the communicator and its rank, and has the event's id before its fields; a
// mark has none of them.
bool is_told_before(const lockstep_record& record, uint32_t field) {
  if (record.kind >= 0) return field == 0;
  const std::string_view name = record.fields[field].name;
  return name == "comm" || name == "rank";
}

void put_text_or_null(JsonWriter* out, const char* text) {
  text == nullptr ? out->Null() : out->String(text);
}

void put_field(JsonWriter* out, const lockstep_record& record, uint32_t field) {
  const uint64_t value = lockstep_value(&record, field);
  put_key(out, record.fields[field].name);
  switch (record.fields[field].type) {
    case LOCKSTEP_TYPE_UNSIGNED:
    case LOCKSTEP_TYPE_EVENT:
    case LOCKSTEP_TYPE_GPU_TIME:
      out->Uint64(value);
      return;
    case LOCKSTEP_TYPE_SIGNED:
      out->Int64(static_cast<int64_t>(value));
      return;
    case LOCKSTEP_TYPE_FLAG:
      out->Bool(value != 0);
      return;
    case LOCKSTEP_TYPE_TEXT:
      return put_text_or_null(out, lockstep_text(&record, field));
    case LOCKSTEP_TYPE_ADDRESS:
      out->String(hex_text(value).c_str());
      return;
    case LOCKSTEP_TYPE_ARGUMENT:
      value == LOCKSTEP_NO_ARGUMENT ? out->Null() : out->Uint64(value);
      return;
  }
}

}  // namespace

void append_record_json(const lockstep_record& record, const lockstep_process& process,
                        std::string* line) {
  json::StringBuffer text;
  JsonWriter out(text);
  out.StartObject();
  put_uint(&out, "raw_ns", record.raw_ns);
  put_uint(&out, "real_ns", lockstep_wall_ns(&record));
  put_text(&out, "host", process.host);
  put_uint(&out, "pid", process.pid);
  put_uint(&out, "tid", record.tid);
  put_text(&out, "thread", record.thread);
  put_uint(&out, "comm", record.comm);
  if (record.rank >= 0) put_uint(&out, "rank", static_cast<uint64_t>(record.rank));
  put_text(&out, "call", lockstep_call_name(record.call));
  if (record.kind >= 0) {
    put_text(&out, "kind", lockstep_kind_name(record.kind));
    put_uint(&out, "id", record.id);
  }
  if (record.state >= 0) put_text(&out, "state", lockstep_state_name(record.state));
  for (uint32_t field = 0; field < record.field_count; ++field) {
    if (!is_told_before(record, field)) put_field(&out, record, field);
  }
  out.EndObject();
  line->append(text.GetString(), text.GetSize());
}

}  // namespace lockstep::analysis
