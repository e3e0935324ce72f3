#include "cli/show/explanation_view.h"

#include <cstdio>

#include "base/json.h"
#include "cli/show/clock_view.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

using analysis::kNoTime;
using analysis::OperationExplained;
using analysis::OperationStamp;
using analysis::TickStretch;

std::string number_or_none(int64_t ns) { return ns == kNoTime ? "-" : std::to_string(ns); }

std::string error_text(const OperationStamp& stamp) {
  if (stamp.run_ns == kNoTime || stamp.early_ns == kNoTime) return "-";
  return "-" + std::to_string(stamp.early_ns) + " +" + std::to_string(stamp.late_ns);
}

std::string stamps_text(const OperationExplained& explained) {
  Table table({{"WHAT"},
               {"SINCE us", Align::Right},
               {"STORED", Align::Right},
               {"CLOCK"},
               {explained.host + " RAW ns", Align::Right},
               {"RUN ns", Align::Right},
               {"ERROR ns", Align::Right},
               {"THREAD"},
               {"COLUMN"}});
  const int64_t first_ns = explained.stamps.empty() ? 0 : explained.stamps.front().run_ns;
  for (const OperationStamp& stamp : explained.stamps) {
    char since[32] = "-";
    if (stamp.run_ns != kNoTime)
      std::snprintf(since, sizeof since, "%.3f", double(stamp.run_ns - first_ns) / 1e3);
    table.add({stamp.what, since, std::to_string(stamp.stored), stamp.of_gpu ? "GPU" : "ticks",
               number_or_none(stamp.raw_ns), number_or_none(stamp.run_ns), error_text(stamp),
               stamp.thread, stamp.column});
  }
  return table.text();
}

std::string stretch_text(const TickStretch& stretch, const std::string& host) {
  char rate[40] = "?";
  if (stretch.to_ticks > stretch.from_ticks) {
    std::snprintf(rate, sizeof rate, "%.9f",
                  double(stretch.to_raw_ns - stretch.from_raw_ns) /
                      double(stretch.to_ticks - stretch.from_ticks));
  }
  return "ticks -> " + host + " RAW: on the line from tick " + std::to_string(stretch.from_ticks) +
         " at " + std::to_string(stretch.from_raw_ns) + " to tick " +
         std::to_string(stretch.to_ticks) + " at " + std::to_string(stretch.to_raw_ns) + ", " +
         rate + " ns a tick; " +
         (stretch.error_ns ? "the readings beside it are off such lines by " +
                                 duration_text(*stretch.error_ns) + " at most (measured)"
                           : "too few readings beside it to measure its error") +
         "\n";
}

std::string run_clock_text(const OperationExplained& explained) {
  if (explained.source.empty())
    return "RUN: " + explained.host + " RAW itself; the host is on no common clock\n";
  if (explained.host == explained.reference)
    return "RUN: " + explained.host + " RAW itself; it is the reference\n";
  return explained.host + " RAW -> RUN, which is " + explained.reference + " RAW: minus " +
         std::to_string(explained.offset_ns) + " ns at its first stamp, by " + explained.source +
         "; guaranteed from " + std::to_string(explained.offset_lo_ns) + " to " +
         std::to_string(explained.offset_hi_ns) + "\n";
}

bool has_gpu_time(const OperationExplained& explained) {
  for (const OperationStamp& stamp : explained.stamps) {
    if (stamp.of_gpu) return true;
  }
  return false;
}

void put_time(JsonFields& out, const char* name, int64_t ns) {
  if (ns == kNoTime) return;
  out.number(name, ns);
}

void put_stamp(JsonFields& out, const OperationStamp& stamp) {
  out.object([&] {
    out.string("what", stamp.what);
    out.number("event_id", stamp.event_id);
    out.string("clock", stamp.of_gpu ? "gpu" : "ticks");
    out.number("stored", stamp.stored);
    put_time(out, "raw_ns", stamp.raw_ns);
    put_time(out, "run_ns", stamp.run_ns);
    put_time(out, "early_ns", stamp.early_ns);
    put_time(out, "late_ns", stamp.late_ns);
    if (!stamp.of_gpu) out.number("tid", stamp.tid);
    if (!stamp.of_gpu) out.string("thread", stamp.thread);
    if (!stamp.column.empty()) out.string("column", stamp.column);
  });
}

void put_stretch(JsonFields& out, const TickStretch& stretch) {
  out.object([&] {
    out.number("from_ticks", stretch.from_ticks);
    out.number("from_raw_ns", stretch.from_raw_ns);
    out.number("to_ticks", stretch.to_ticks);
    out.number("to_raw_ns", stretch.to_raw_ns);
    if (stretch.error_ns) out.number("error_ns", *stretch.error_ns);
  });
}

}  // namespace

std::string explanation_text(const OperationExplained& explained) {
  std::string text = explained.name + ": event " + std::to_string(explained.row->event_id) +
                     " on " + explained.host + ", " + explained.state + "\n\n" +
                     stamps_text(explained) + "\n";
  for (const TickStretch& stretch : explained.stretches)
    text += stretch_text(stretch, explained.host);
  text += run_clock_text(explained);
  if (has_gpu_time(explained)) {
    text +=
        "GPU -> " + explained.host +
        " RAW: no kernel starts before its launch, and none is seen before it starts; its first "
        "start and last stop are converted\n";
  }
  text +=
      "ERROR: guaranteed, of the hosts' clocks and the GPU's; the truth is at most so much before "
      "and "
      "after RUN\n";
  for (const std::string& note : explained.notes) text += "note: " + note + "\n";
  return text;
}

std::string explanation_json(const OperationExplained& explained) {
  JsonFields out;
  out.object([&] {
    out.string("name", explained.name);
    out.number("event_id", explained.row->event_id);
    out.string("state", explained.state);
    out.string("host", explained.host);
    out.string("reference", explained.reference);
    out.string("source", explained.source);
    out.number("offset_ns", explained.offset_ns);
    out.number("offset_lo_ns", explained.offset_lo_ns);
    out.number("offset_hi_ns", explained.offset_hi_ns);
    out.list("stamps", explained.stamps, [&](const auto& stamp) { put_stamp(out, stamp); });
    out.list("stretches", explained.stretches, [&](const auto& part) { put_stretch(out, part); });
    out.strings("notes", explained.notes);
  });
  return std::string(out.text());
}

}  // namespace lockstep::cli
