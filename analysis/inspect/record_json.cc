#include "analysis/inspect/record_json.h"

#include "analysis/tables/labels.h"
#include "base/json.h"
#include "lockstep/record_shape.h"

namespace lockstep::analysis {
namespace {


enum class Form : uint8_t { Unsigned, Signed, Flag, Text, Address };
struct Field {
  const char* name;
  uint8_t word, shift, bits;
  Form form;
};
constexpr unsigned kMaxFields = 20;
struct FieldList {
  Field fields[kMaxFields];
};

constexpr Form U = Form::Unsigned, S = Form::Signed, F = Form::Flag, T = Form::Text,
               A = Form::Address;
constexpr FieldList fields_of(Kind kind) {
  switch (kind) {
    case Kind::Coll:
      return {{{"channels", 3, 32, 8, U},
               {"warps", 3, 40, 8, U},
               {"symmetric", 3, 48, 1, F},
               {"parent_group", 4, 0, 64, U},
               {"seq_number", 5, 0, 64, U},
               {"count", 6, 0, 64, U},
               {"send_buff", 7, 0, 64, A},
               {"recv_buff", 8, 0, 64, A},
               {"func", 9, 0, 16, T},
               {"datatype", 9, 16, 16, T},
               {"algo", 9, 32, 16, T},
               {"proto", 9, 48, 16, T},
               {"root", 10, 0, 32, S},
               {"kernel_variant", 10, 32, 16, T},
               {"user_tag", 11, 0, 64, U},
               {"traffic_bytes", 12, 0, 64, U},
               {"op", 13, 0, 32, U},
               {"collnet", 13, 32, 1, F},
               {"nvls", 13, 33, 1, F}}};
    case Kind::P2p:
      return {{{"channels", 3, 32, 8, U},
               {"parent_group", 4, 0, 64, U},
               {"count", 5, 0, 64, U},
               {"buff", 6, 0, 64, A},
               {"func", 7, 0, 16, T},
               {"datatype", 7, 16, 16, T},
               {"peer", 7, 32, 32, S},
               {"user_tag", 8, 0, 64, U}}};
    case Kind::ProxyOp:
      return {{{"pid", 3, 32, 32, U},
               {"peer", 4, 0, 32, S},
               {"channel", 4, 32, 8, U},
               {"is_send", 4, 40, 1, F},
               {"steps", 5, 0, 32, U},
               {"chunk_size", 5, 32, 32, U}}};
    case Kind::ProxyStep:
      return {{{"step", 3, 32, 32, S}}};
    case Kind::KernelCh:
      return {{{"channel", 3, 32, 8, U}, {"p_timer", 4, 0, 64, U}}};
    case Kind::NetPlugin:
      return {{{"net_id", 4, 0, 64, U},
               {"device", 5, 0, 32, S},
               {"opcode", 5, 32, 32, S},
               {"wr_id", 6, 0, 64, U},
               {"length", 7, 0, 64, U},
               {"qp_num", 8, 0, 64, U}}};
    case Kind::GroupApi:
      return {{{"depth", 3, 32, 16, U}, {"graph_captured", 3, 48, 1, F}}};
    case Kind::CollApi:
      return {{{"graph_captured", 3, 32, 1, F},
               {"count", 4, 0, 64, U},
               {"func", 5, 0, 16, T},
               {"datatype", 5, 16, 16, T},
               {"root", 5, 32, 32, S},
               {"stream", 6, 0, 64, A},
               {"user_tag", 7, 0, 64, U}}};
    case Kind::P2pApi:
      return {{{"graph_captured", 3, 32, 1, F},
               {"count", 4, 0, 64, U},
               {"func", 5, 0, 16, T},
               {"datatype", 5, 16, 16, T},
               {"stream", 6, 0, 64, A},
               {"user_tag", 7, 0, 64, U}}};
    case Kind::KernelLaunch:
      return {{{"stream", 4, 0, 64, A}}};
    case Kind::CeColl:
      return {{{"intra_batch_sync", 3, 32, 1, F},
               {"seq_number", 4, 0, 64, U},
               {"count", 5, 0, 64, U},
               {"send_buff", 6, 0, 64, A},
               {"recv_buff", 7, 0, 64, A},
               {"func", 8, 0, 16, T},
               {"datatype", 8, 16, 16, T},
               {"sync_strategy", 8, 32, 16, T},
               {"root", 9, 0, 32, S},
               {"batch_size", 9, 32, 32, U},
               {"num_batches", 10, 0, 32, U},
               {"ce_seq_num", 10, 32, 32, U},
               {"stream", 11, 0, 64, A},
               {"user_tag", 12, 0, 64, U}}};
    case Kind::CeSync:
      return {{{"is_complete", 4, 0, 1, F}, {"ranks", 4, 32, 32, U}}};
    case Kind::CeBatch:
      return {{{"num_ops", 4, 0, 32, U},
               {"use_intra_sync", 4, 32, 1, F},
               {"total_bytes", 5, 0, 64, U}}};
    case Kind::KernelPhase:
      return {{{"channel", 3, 32, 8, U},
               {"phase", 3, 40, 8, U},
               {"name", 3, 48, 16, T},
               {"p_timer", 4, 0, 64, U}}};
    default:
      return {};
  }
}

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

void put_field(JsonWriter* out, const Field& field, const uint64_t* words,
               const dumper::ProcessRecords& process) {
  const uint64_t mask = field.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << field.bits) - 1;
  const uint64_t value = words[field.word] >> field.shift & mask;
  switch (field.form) {
    case Form::Unsigned:
      return put_uint(out, field.name, value);
    case Form::Signed:
      return put_signed(out, field.name, value);
    case Form::Flag:
      put_key(out, field.name);
      out->Bool(value != 0);
      return;
    case Form::Text:
      return put_string(out, field.name, value, process);
    case Form::Address:
      return put_address(out, field.name, value);
  }
}

void put_start(JsonWriter* out, const uint64_t* words, const dumper::ProcessRecords& process) {
  put_uint(out, "parent", words[2]);
  put_signed(out, "event_rank", words[3]);
  const FieldList list = fields_of(kind_of(words[1]));
  for (const Field& field : list.fields) {
    if (field.name != nullptr) put_field(out, field, words, process);
  }
}

void put_state(JsonWriter* out, Tag tag, const uint64_t* words) {
  const unsigned state = tag - kStateTag;
  put_text(out, "state", kStateNames[state]);
  if (!state_has_argument(state)) return;
  if (words[2] == kNoArgument) {
    put_key(out, "argument");
    out->Null();
  } else {
    put_uint(out, "argument", words[2]);
  }
}

void put_event(JsonWriter* out, Tag tag, const uint64_t* words,
               const dumper::ProcessRecords& process) {
  put_text(out, "call", is_start(tag) ? "start" : is_stop(tag) ? "stop" : "state");
  put_text(out, "kind", kKindNames[static_cast<unsigned>(kind_of(words[1]))]);
  put_uint(out, "id", words[1]);
  if (is_start(tag)) put_start(out, words, process);
  if (is_state(tag)) put_state(out, tag, words);
}

void put_comm(JsonWriter* out, Tag tag, const uint64_t* words,
              const dumper::ProcessRecords& process) {
  const bool init = tag == kCommInitTag;
  put_text(out, "call",
                   init                  ? "comm_init"
                   : tag == kCommInfoTag ? "comm_info"
                                         : "comm_finalize");
  if (tag == kCommFinalizeTag) return;
  put_address(out, "comm_id", words[2]);
  put_string(out, "name", init ? words[4] >> 48 : words[3] & 0xffff, process);
  if (!init) return;
  put_uint(out, "ranks", words[3] >> 32);
  put_uint(out, "nodes", words[4] & 0xffffffff);
  put_uint(out, "abi_version", words[4] >> 32 & 0xffff);
}

}  // namespace

uint32_t comm_of_record(const dumper::TimedRecord& record) {
  return record.tag() >= kCommInitTag ? static_cast<uint32_t>(record.words[1] & kLastComm)
                                      : comm_of(record.words[1]);
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
