// The functions of lockstep/read.h: arguments checked, exceptions turned into codes, sentences kept.
#include "lockstep/read.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "lockstep/record_shape.h"
#include "reader/field_lists.h"
#include "reader/merged_records.h"
#include "reader/open_run.h"

using lockstep::reader::MergedRecords;
using lockstep::reader::OpenRun;
using lockstep::reader::PassedOver;

struct lockstep_run {
  std::shared_ptr<const OpenRun> open;
  std::vector<lockstep::dumper::RawSpan> spans;  // of each process
};

namespace {

using namespace lockstep;

// A record with what its fields are taken from.
struct ShownRecord : lockstep_record {
  MergedRecords::Current from;
  FieldList places;
};

// A path of any length, and a sentence behind it. Without a destructor, so that the library can be
// unloaded.
thread_local char last_error[4096 + 512];

lockstep_status fail(lockstep_status code, const char* sentence) {
  std::snprintf(last_error, sizeof last_error, "%s", sentence);
  return code;
}

// Only memory can run out below: everything else is a Status. But nothing at all may be thrown out.
template <typename Body>
lockstep_status guarded(const Body& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(LOCKSTEP_NO_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return fail(LOCKSTEP_UNREADABLE, error.what());
  }
}

const ShownRecord& shown(const lockstep_record* record) {
  return *static_cast<const ShownRecord*>(record);
}

// What is known of its communicator, from the records so far.
void show_comm(const dumper::LiveComms& comms, ShownRecord* out) {
  const auto found = comms.all().find(out->comm);
  const dumper::CommFacts* facts = found == comms.all().end() ? nullptr : &found->second;
  out->rank = facts == nullptr ? -1 : int64_t{facts->rank};
  out->ranks = facts == nullptr ? 0 : facts->ranks;
  out->comm_id = facts == nullptr ? 0 : facts->id;
  out->comm_name = facts == nullptr || facts->name.empty() ? nullptr : facts->name.c_str();
}

void show(ShownRecord* out) {
  const dumper::TimedRecord& record = *out->from.record;
  const Tag tag = record.tag();
  const std::vector<lockstep_field>& fields = reader::field_list(tag);
  out->places = fields_of(tag);
  out->raw_ns = record.raw_ns;
  out->thread = record.thread_name->c_str();
  out->fields = fields.data();
  out->field_count = static_cast<uint32_t>(fields.size());
  out->process = out->from.process;
  out->tid = record.tid;
  out->call = reader::call_of(tag);
  out->state = is_state(tag) ? tag - kStateTag : -1;
  if (tag < kCommInitTag) {
    out->id = EventRecord::read(record.words).id;
    out->kind = static_cast<int32_t>(kind_of(out->id));
    out->comm = comm_of(out->id);
  } else {
    out->id = 0;
    out->kind = -1;
    out->comm = is_mark(tag)
                    ? kUnknownComm
                    : static_cast<uint32_t>(CommRecord::read(record.words).comm & kLastComm);
  }
  show_comm(out->from.records->comms(), out);
}

}  // namespace

struct lockstep_records {
  lockstep_records(const lockstep_run& of, size_t process)
      : run(of.open),
        all(process == LOCKSTEP_ALL_PROCESSES),
        merged(run->directory(), of.spans, all ? 0 : process, all ? run->processes().size() : 1) {}

  std::shared_ptr<const OpenRun> run;
  bool all;  // processes
  MergedRecords merged;
  ShownRecord record{};
  bool failed = false;
  std::vector<PassedOver> passed_over;
  std::vector<lockstep_damage> damage;  // points into passed_over
};

uint32_t lockstep_read_version(void) { return LOCKSTEP_READ_VERSION; }

const char* lockstep_error(void) { return last_error; }

lockstep_status lockstep_open(const char* directory, lockstep_run** run) {
  if (directory == nullptr || run == nullptr)
    return fail(LOCKSTEP_BAD_ARGUMENT,
                "lockstep_open: NULL is no directory and no place for a run");
  *run = nullptr;
  return guarded([&] {
    auto found = dumper::RunDirectory::open(directory);
    if (!found.ok()) return fail(LOCKSTEP_UNREADABLE, found.message().c_str());
    auto open = std::make_shared<const OpenRun>(std::move(found.value()));
    std::vector<dumper::RawSpan> spans(open->processes().size());
    *run = new lockstep_run{std::move(open), std::move(spans)};
    return LOCKSTEP_OK;
  });
}

void lockstep_close(lockstep_run* run) { delete run; }

size_t lockstep_process_count(const lockstep_run* run) {
  return run == nullptr ? 0 : run->open->processes().size();
}

const lockstep_process* lockstep_process_at(const lockstep_run* run, size_t process) {
  return process < lockstep_process_count(run) ? &run->open->processes()[process] : nullptr;
}

lockstep_status lockstep_select_time(lockstep_run* run, size_t process, uint64_t from_raw_ns,
                                     uint64_t to_raw_ns) {
  if (process >= lockstep_process_count(run) || from_raw_ns > to_raw_ns)
    return fail(LOCKSTEP_BAD_ARGUMENT, "lockstep_select_time: there is no such process or time");
  run->spans[process] = {from_raw_ns, to_raw_ns};
  return LOCKSTEP_OK;
}

lockstep_status lockstep_read_records(const lockstep_run* run, size_t process,
                                      lockstep_records** records) {
  const bool there =
      process == LOCKSTEP_ALL_PROCESSES ? run != nullptr : process < lockstep_process_count(run);
  if (records != nullptr) *records = nullptr;
  if (records == nullptr || !there)
    return fail(LOCKSTEP_BAD_ARGUMENT, "lockstep_read_records: there is no such run or process");
  return guarded([&] {
    *records = new lockstep_records(*run, process);
    return LOCKSTEP_OK;
  });
}

lockstep_status lockstep_next(lockstep_records* records, const lockstep_record** record) {
  if (records == nullptr || record == nullptr)
    return fail(LOCKSTEP_BAD_ARGUMENT, "lockstep_next: NULL is no place to read from or to put");
  *record = nullptr;
  if (records->failed) return fail(LOCKSTEP_NO_MEMORY, "out of memory");
  records->failed = true;  // unless it goes well
  return guarded([&] {
    const bool there = records->merged.next(&records->record.from);
    if (there) {
      show(&records->record);
      *record = &records->record;
    }
    records->failed = false;
    return there ? LOCKSTEP_OK : LOCKSTEP_END;
  });
}

void lockstep_close_records(lockstep_records* records) { delete records; }

uint64_t lockstep_value(const lockstep_record* record, size_t field) {
  if (record == nullptr || field >= record->field_count) return 0;
  const ShownRecord& from = shown(record);
  const RecordField& place = from.places.first[field];
  const uint64_t value = place.in(from.from.record->words);
  if (place.type != FieldType::Signed) return value;
  return static_cast<uint64_t>(int64_t{static_cast<int32_t>(value)});
}

const char* lockstep_text(const lockstep_record* record, size_t field) {
  if (record == nullptr || field >= record->field_count) return nullptr;
  const ShownRecord& from = shown(record);
  const RecordField& place = from.places.first[field];
  if (place.type != FieldType::Text) return nullptr;
  const uint64_t number = place.in(from.from.record->words);
  return number == kNullString ? nullptr : from.from.records->text(number).c_str();
}

int lockstep_find_field(const lockstep_record* record, const char* name) {
  if (record == nullptr || name == nullptr) return -1;
  for (uint32_t i = 0; i < record->field_count; ++i) {
    if (std::strcmp(record->fields[i].name, name) == 0) return static_cast<int>(i);
  }
  return -1;
}

const lockstep_field* lockstep_fields(lockstep_call call, int32_t number, size_t* count) {
  const lockstep_field* fields = nullptr;
  if (count != nullptr) *count = 0;
  guarded([&] {
    const auto tag = reader::tag_of_call(call, number);
    if (!tag) return LOCKSTEP_OK;
    fields = reader::field_list(*tag).data();
    if (count != nullptr) *count = reader::field_list(*tag).size();
    return LOCKSTEP_OK;
  });
  return fields;
}

const char* lockstep_call_name(lockstep_call call) {
  constexpr const char* kNames[] = {"start",         "state",         "stop",        "comm_init",
                                    "comm_finalize", "comm_info",     "step_begin",  "step_end",
                                    "range_push",    "range_pop",     "range_start", "range_end",
                                    "text",          "capture_start", "capture_stop"};
  const auto number = static_cast<unsigned>(call);
  return number < std::size(kNames) ? kNames[number] : nullptr;
}

const char* lockstep_kind_name(int32_t kind) {
  return kind >= 0 && kind < static_cast<int32_t>(kKinds) ? kKindNames[kind] : nullptr;
}

const char* lockstep_state_name(int32_t state) {
  return state >= 0 && state < static_cast<int32_t>(kStates) ? kStateNames[state] : nullptr;
}

int32_t lockstep_kind_number(const char* name) {
  for (unsigned kind = 0; name != nullptr && kind < kKinds; ++kind) {
    if (std::strcmp(name, kKindNames[kind]) == 0) return static_cast<int32_t>(kind);
  }
  return -1;
}

uint64_t lockstep_wall_ns(const lockstep_record* record) {
  if (record == nullptr) return 0;
  const dumper::TimedRecord& from = *shown(record).from.record;
  return from.clock->real_ns(ticks_of(from.words[0]));
}

lockstep_status lockstep_common_time(const lockstep_run* run, size_t process, uint64_t raw_ns,
                                     lockstep_time* time) {
  if (time == nullptr || process >= lockstep_process_count(run))
    return fail(LOCKSTEP_BAD_ARGUMENT, "lockstep_common_time: there is no such run or process");
  return guarded([&] {
    const auto found = run->open->common_time(process, raw_ns);
    if (!found.ok()) return fail(LOCKSTEP_NO_CLOCK, found.message().c_str());
    *time = {found.value().ns, found.value().lo_ns, found.value().hi_ns};
    return LOCKSTEP_OK;
  });
}

size_t lockstep_damage_count(lockstep_records* records) {
  if (records == nullptr) return 0;
  const lockstep_status status = guarded([&] {
    records->damage.clear();
    records->passed_over.clear();
    if (records->all) {
      for (const dumper::Damage& damage : records->run->directory().unreadable)
        records->passed_over.emplace_back(damage);
    }
    for (PassedOver& one : records->merged.passed_over())
      records->passed_over.push_back(std::move(one));
    for (const PassedOver& one : records->passed_over) {
      records->damage.push_back(
          {one.sentence.c_str(), one.place.file.c_str(), one.place.offset, one.place.bytes});
    }
    return LOCKSTEP_OK;
  });
  if (status != LOCKSTEP_OK) records->damage.clear();
  return records->damage.size();
}

const lockstep_damage* lockstep_damage_at(const lockstep_records* records, size_t damage) {
  return records != nullptr && damage < records->damage.size() ? &records->damage[damage] : nullptr;
}
