#include "hostload/record/load_chunk.h"

#include <algorithm>

#include "dumper/segment/varint.h"

namespace lockstep::hostload {
namespace {

using dumper::ByteBuffer;
using dumper::ByteReader;

enum class Section : uint64_t {
  Origin = 1,
  Threads = 2,
  Cgroups = 3,
  Counters = 4,
  GpuFacts = 5,
  ThreadTimes = 16,
  ThreadEvents = 17,
  HostLoads = 18,
  CounterValues = 19,
  GpuValues = 20,
};

constexpr uint64_t kMaxColumns = 64;

void put_text(ByteBuffer* out, std::string_view text) {
  out->varint(text.size());
  out->append(text.data(), text.size());
}
std::string take_text(ByteReader* in) { return std::string(in->text(in->varint())); }

template <class Body>
void put_section(ByteBuffer* out, Section tag, Body body) {
  ByteBuffer content;
  body(&content);
  out->varint(static_cast<uint64_t>(tag));
  out->varint(content.size());
  out->append(content.data(), content.size());
}

template <class Item, class Put>
void put_list(ByteBuffer* out, Section tag, const std::vector<Item>& items, Put put) {
  put_section(out, tag, [&](ByteBuffer* content) {
    content->varint(items.size());
    for (const Item& item : items) put(content, item);
  });
}

template <class Item, class Take>
void take_list(ByteReader* in, std::vector<Item>* items, Take take) {
  // An item takes a byte at least, so a wrong count ends with the bytes.
  for (uint64_t left = in->varint(); left != 0 && !in->failed(); --left) {
    Item item = take(in);
    if (!in->failed()) items->push_back(std::move(item));
  }
}

template <class Row>
void put_table(ByteBuffer* out, Section tag, std::vector<Row>* rows) {
  constexpr auto& kFields = LoadFields<Row>::kAll;
  if (rows->empty()) return;
  const auto by_subject = [](const Row& a, const Row& b) { return a.*kFields[0] < b.*kFields[0]; };
  std::stable_sort(rows->begin(), rows->end(), by_subject);
  put_section(out, tag, [&](ByteBuffer* content) {
    content->varint(kFields.size());
    content->varint(rows->size());
    for (const auto field : kFields) {
      uint64_t before = 0;
      for (const Row& row : *rows) {
        const auto value = static_cast<uint64_t>(row.*field);
        content->varint(dumper::zigzag(value - before));
        before = value;
      }
    }
  });
}

template <class Row>
void take_table(ByteReader* in, std::vector<Row>* rows) {
  constexpr auto& kFields = LoadFields<Row>::kAll;
  const uint64_t columns = in->varint(), count = in->varint();
  // Every value takes a byte at least.
  if (columns == 0 || columns > kMaxColumns || count > in->left() / columns) return in->fail();
  rows->resize(count);
  for (uint64_t column = 0; column < columns; ++column) {
    uint64_t value = 0;
    for (Row& row : *rows) {
      value += in->zigzag_varint();
      if (column < kFields.size()) row.*kFields[column] = static_cast<int64_t>(value);
    }
  }
}

void take_origin(ByteReader* in, LoadChunk* chunk) {
  chunk->host = take_text(in);
  chunk->boot_id = take_text(in);
  chunk->clock_namespace = take_text(in);
}

void put_counter(ByteBuffer* out, const LoadCounter& counter) {
  put_text(out, counter.device);
  out->varint(counter.port);
  put_text(out, counter.name);
}

LoadThread take_thread(ByteReader* in) {
  LoadThread thread;
  thread.process_uid = in->varint();
  thread.pid = static_cast<uint32_t>(in->varint());
  thread.tid = static_cast<uint32_t>(in->varint());
  thread.name = take_text(in);
  return thread;
}

LoadCounter take_counter(ByteReader* in) {
  LoadCounter counter;
  counter.device = take_text(in);
  counter.port = static_cast<uint32_t>(in->varint());
  counter.name = take_text(in);
  return counter;
}

void take_section(uint64_t tag, ByteReader* in, LoadChunk* chunk) {
  switch (static_cast<Section>(tag)) {
    case Section::Origin:
      return take_origin(in, chunk);
    case Section::Threads:
      return take_list(in, &chunk->threads, take_thread);
    case Section::Cgroups:
      return take_list(in, &chunk->cgroups, take_text);
    case Section::Counters:
      return take_list(in, &chunk->counters, take_counter);
    case Section::GpuFacts:
      return take_list(in, &chunk->gpu_facts, take_counter);
    case Section::ThreadTimes:
      return take_table(in, &chunk->thread_times);
    case Section::ThreadEvents:
      return take_table(in, &chunk->thread_events);
    case Section::HostLoads:
      return take_table(in, &chunk->host_loads);
    case Section::CounterValues:
      return take_table(in, &chunk->counter_values);
    case Section::GpuValues:
      return take_table(in, &chunk->gpu_values);
  }
}

template <class Row>
bool subjects_exist(const std::vector<Row>& rows, size_t subjects) {
  return std::all_of(rows.begin(), rows.end(), [&](const Row& row) {
    return static_cast<uint64_t>(row.*LoadFields<Row>::kAll[0]) < subjects;
  });
}

}  // namespace

std::string encode_load(LoadChunk* chunk) {
  ByteBuffer out;
  put_section(&out, Section::Origin, [&](ByteBuffer* content) {
    put_text(content, chunk->host);
    put_text(content, chunk->boot_id);
    put_text(content, chunk->clock_namespace);
  });
  put_list(&out, Section::Threads, chunk->threads, [](ByteBuffer* to, const LoadThread& thread) {
    to->varint(thread.process_uid);
    to->varint(thread.pid);
    to->varint(thread.tid);
    put_text(to, thread.name);
  });
  put_list(&out, Section::Cgroups, chunk->cgroups, put_text);
  put_list(&out, Section::Counters, chunk->counters, put_counter);
  put_list(&out, Section::GpuFacts, chunk->gpu_facts, put_counter);
  put_table(&out, Section::ThreadTimes, &chunk->thread_times);
  put_table(&out, Section::ThreadEvents, &chunk->thread_events);
  put_table(&out, Section::HostLoads, &chunk->host_loads);
  put_table(&out, Section::CounterValues, &chunk->counter_values);
  put_table(&out, Section::GpuValues, &chunk->gpu_values);
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

Result<LoadChunk> decode_load(std::string_view bytes) {
  LoadChunk chunk;
  ByteReader in(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  while (in.left() != 0) {
    const uint64_t tag = in.varint(), size = in.varint();
    const uint8_t* content = in.take(size);
    if (content == nullptr) break;
    ByteReader section(content, size);
    take_section(tag, &section, &chunk);
    if (section.failed())
      return Status::error("section " + std::to_string(tag) + " of the host's load is damaged");
  }
  if (in.failed()) return Status::error("the host's load ends inside a section");
  if (!subjects_exist(chunk.thread_times, chunk.threads.size()) ||
      !subjects_exist(chunk.thread_events, chunk.threads.size()) ||
      !subjects_exist(chunk.host_loads, chunk.cgroups.size()) ||
      !subjects_exist(chunk.counter_values, chunk.counters.size()) ||
      !subjects_exist(chunk.gpu_values, chunk.gpu_facts.size()))
    return Status::error("a row of the host's load is about nothing that its chunk lists");
  return chunk;
}

}  // namespace lockstep::hostload
