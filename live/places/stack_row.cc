#include "live/places/stack_row.h"

#include <algorithm>

#include "base/json.h"

namespace lockstep::live {
namespace {

void put_frames(JsonFields& out, std::string_view key, const std::vector<Frame>& frames) {
  out.list(key, frames, [&](const Frame& frame) {
    out.object([&] {
      if (!frame.function.empty()) out.string("function", frame.function);
      if (!frame.file.empty()) out.string("file", frame.file);
      if (frame.line != 0) out.number("line", frame.line);
      out.string("module", frame.module);
      if (frame.offset != 0) out.number("offset", frame.offset);
    });
  });
}

// Samples that are alike in every function are one; otherwise each is given.
void put_thread(JsonFields& out, const ThreadStacks& thread) {
  out.object([&] {
    out.number("tid", static_cast<int64_t>(thread.state.tid));
    out.string("name", thread.state.name);
    out.string("state", std::string(1, thread.state.state));
    if (!thread.state.syscall.empty()) out.string("syscall", thread.state.syscall);
    if (!thread.state.wchan.empty()) out.string("wchan", thread.state.wchan);
    if (!thread.unread.empty()) out.string("unread", thread.unread);
    if (thread.samples.empty()) return;
    out.number("samples", static_cast<uint64_t>(thread.samples.size()));
    out.boolean("moved", thread.moved());
    put_frames(out, "frames", thread.samples.back());
    if (!thread.moved()) return;
    put_key(&out.writer(), "earlier");
    out.writer().StartArray();
    for (size_t i = 0; i + 1 < thread.samples.size(); ++i)
      out.object([&] { put_frames(out, "frames", thread.samples[i]); });
    out.writer().EndArray();
  });
}

void put_row(JsonFields& out, const StackRow& row) {
  const ProcessStacks& stacks = row.stacks;
  out.object([&] {
    out.string("host", row.host);
    out.number("pid", static_cast<int64_t>(stacks.pid));
    if (row.standing.rank >= 0) out.number("rank", row.standing.rank);
    out.string("command", stacks.command);
    if (!row.standing.operation.empty()) {
      out.string("operation", row.standing.operation);
      out.number("called_ago_ns", row.standing.called_ago_ns);
    }
    if (!stacks.unread.empty()) out.string("unread", stacks.unread);
    if (!stacks.python.empty()) out.string("python_unread", stacks.python);
    out.list("threads", stacks.threads,
             [&](const ThreadStacks& thread) { put_thread(out, thread); });
    out.number("other_threads", static_cast<uint64_t>(stacks.other_threads));
    out.list("stopped_ns", stacks.stops_ns, [&](int64_t ns) { out.writer().Int64(ns); });
    out.number("spread_ns", stacks.last_ns - stacks.first_ns);
  });
}

std::vector<Frame> frames_of(const json::Value& object) {
  std::vector<Frame> frames;
  for (const json::Value& value : elements_of(object, "frames")) {
    frames.push_back({text_member(value, "function"), text_member(value, "file"),
                      static_cast<uint32_t>(uint_member(value, "line")),
                      text_member(value, "module"), uint_member(value, "offset")});
  }
  return frames;
}

ThreadStacks thread_of(const json::Value& value) {
  ThreadStacks thread;
  thread.state.tid = static_cast<pid_t>(int_member(value, "tid"));
  thread.state.name = text_member(value, "name");
  const std::string state = text_member(value, "state");
  thread.state.state = state.empty() ? '?' : state.front();
  thread.state.syscall = text_member(value, "syscall");
  thread.state.wchan = text_member(value, "wchan");
  thread.unread = text_member(value, "unread");
  std::vector<Frame> last = frames_of(value);
  if (last.empty()) return thread;
  for (const json::Value& sample : elements_of(value, "earlier")) {
    if (thread.samples.size() + 1 < kMostSamples) thread.samples.push_back(frames_of(sample));
  }
  const uint64_t samples = std::clamp<uint64_t>(uint_member(value, "samples"), 1, kMostSamples);
  while (thread.samples.size() + 1 < samples) thread.samples.push_back(last);
  thread.samples.push_back(std::move(last));
  return thread;
}

StackRow row_of(const json::Value& value) {
  StackRow row;
  row.host = text_member(value, "host");
  row.standing = {std::max<int64_t>(-1, int_member(value, "rank", -1)),
                  text_member(value, "operation"), int_member(value, "called_ago_ns")};
  row.stacks.pid = static_cast<pid_t>(int_member(value, "pid"));
  row.stacks.command = text_member(value, "command");
  row.stacks.unread = text_member(value, "unread");
  row.stacks.python = text_member(value, "python_unread");
  row.stacks.other_threads = uint_member(value, "other_threads");
  row.stacks.last_ns = int_member(value, "spread_ns");
  for (const json::Value& thread : elements_of(value, "threads"))
    row.stacks.threads.push_back(thread_of(thread));
  for (const json::Value& ns : elements_of(value, "stopped_ns")) {
    if (ns.IsInt64()) row.stacks.stops_ns.push_back(ns.GetInt64());
  }
  return row;
}

}  // namespace

std::string rows_as_json(const std::vector<StackRow>& rows) {
  JsonFields out;
  out.writer().StartArray();
  for (const StackRow& row : rows) put_row(out, row);
  out.writer().EndArray();
  return std::string(out.text());
}

Result<std::vector<StackRow>> rows_of_json(std::string_view text) {
  json::Document document;
  if (const auto error = parse_exact_json(text, &document))
    return Status::error("these are no stacks: " + error->what + " at byte " +
                         std::to_string(error->byte));
  if (!document.IsArray()) return Status::error("these are no stacks: not a list");
  std::vector<StackRow> rows;
  for (const json::Value& value : document.GetArray()) rows.push_back(row_of(value));
  return rows;
}

}  // namespace lockstep::live
