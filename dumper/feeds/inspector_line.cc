#include "dumper/feeds/inspector_line.h"

#include <cstdio>

#include "base/json.h"
#include "lockstep/version.h"

namespace lockstep::dumper {
namespace {

constexpr const char* kFormatVersion = "v4.2";
constexpr int kDecimalPlaces = 6;

void put_int(JsonWriter* writer, std::string_view name, int64_t number) {
  put_key(writer, name);
  writer->Int64(number);
}

void put_decimal(JsonWriter* writer, std::string_view name, double value) {
  put_key(writer, name);
  writer->Double(value);
}

// What the Inspector says where NCCL gave no text.
std::string_view or_unknown(std::string_view text) { return text.empty() ? "unknown" : text; }

void put_counts(JsonWriter* writer, const std::string& prefix, const InspectorCounts& counts) {
  put_uint(writer, prefix + "_records", counts.records);
  put_uint(writer, prefix + "_dropped_total", counts.dropped);
  put_uint(writer, prefix + "_dropped_since_last_dump", counts.dropped_now);
}

void put_totals(JsonWriter* writer, const std::string& prefix, const InspectorTotals& totals) {
  put_uint(writer, prefix + "_seen", totals.seen);
  put_uint(writer, prefix + "_written", totals.written);
  put_uint(writer, prefix + "_incomplete", totals.incomplete);
  put_uint(writer, prefix + "_below_min_size", totals.below_min_size);
  put_uint(writer, prefix + "_without_kernel_timing", totals.without_kernel_timing);
}

void put_context(JsonWriter* writer, const InspectorContext& context) {
  char id[24];
  std::snprintf(id, sizeof id, "0x%lx", context.comm_id);
  put_key(writer, "header");
  writer->StartObject();
  put_text(writer, "id", id);
  put_text(writer, "comm_name", or_unknown(context.comm_name));
  put_int(writer, "rank", context.rank);
  put_int(writer, "n_ranks", context.ranks);
  put_int(writer, "nnodes", context.nodes);
  writer->EndObject();
  put_key(writer, "metadata");
  writer->StartObject();
  put_text(writer, "inspector_output_format_version", kFormatVersion);
  put_text(writer, "git_rev", std::string("lockstep-") + kVersion);
  put_text(writer, "rec_mechanism", "nccl_profiler_interface");
  put_uint(writer, "dump_timestamp_us", context.timestamp_us);
  put_text(writer, "hostname", context.host);
  put_uint(writer, "pid", context.pid);
  writer->EndObject();
}

void put_perf(JsonWriter* writer, const InspectorPerf& perf) {
  const std::string prefix = perf.p2p ? "p2p" : "coll";
  put_text(writer, prefix, perf.func);
  if (!perf.p2p) {
    put_text(writer, "coll_algo", or_unknown(perf.algo));
    put_text(writer, "coll_proto", or_unknown(perf.proto));
  }
  put_uint(writer, prefix + "_sn", perf.number);
  if (perf.p2p) put_int(writer, "p2p_peer", perf.peer);
  put_uint(writer, prefix + "_msg_size_bytes", perf.message_bytes);
  put_uint(writer, prefix + "_exec_time_us", perf.exec_us);
  put_text(writer, prefix + "_timing_source", perf.timing_source);
  put_decimal(writer, prefix + "_algobw_gbs", perf.algo_gbs);
  put_decimal(writer, prefix + "_busbw_gbs", perf.bus_gbs);
}

void put_own(JsonWriter* writer, const InspectorPerf& perf) {
  put_uint(writer, "lockstep_event_id", perf.event_id);
  put_uint(writer, "lockstep_start_us", perf.start_us);
  if (!perf.p2p) {
    put_text(writer, "lockstep_algo", perf.algo);
    put_text(writer, "lockstep_proto", perf.proto);
  }
  put_key(writer, "lockstep_complete");
  writer->Bool(perf.complete);
}

void put_json(JsonWriter* writer, std::string_view name, const std::string& json) {
  if (json.empty()) return;
  put_key(writer, name);
  writer->RawValue(json.data(), json.size(), lockstep_rapidjson::kObjectType);
}

// `put` puts the payload's name and members.
template <typename Put>
std::string line(const InspectorContext& context, std::string_view payload, const Put& put) {
  json::StringBuffer text;
  JsonWriter writer(text);
  writer.SetMaxDecimalPlaces(kDecimalPlaces);
  writer.StartObject();
  put_context(&writer, context);
  put_key(&writer, payload);
  writer.StartObject();
  put(&writer);
  writer.EndObject();
  writer.EndObject();
  return {text.GetString(), text.GetSize()};
}

}  // namespace

std::string inspector_perf_line(const InspectorContext& context, const InspectorPerf& perf,
                                const InspectorTraces& traces) {
  return line(context, perf.p2p ? "p2p_perf" : "coll_perf", [&](JsonWriter* writer) {
    put_perf(writer, perf);
    put_json(writer, "event_trace_sn", traces.order);
    put_json(writer, "event_trace_ts", traces.times);
    put_own(writer, perf);
  });
}

std::string inspector_dump_line(const InspectorContext& context, const InspectorDump& dump) {
  return line(context, "dump_stats", [&](JsonWriter* writer) {
    put_counts(writer, "coll", dump.coll);
    put_counts(writer, "p2p", dump.p2p);
    if (!dump.has_totals) return;
    put_totals(writer, "coll", dump.coll_totals);
    put_totals(writer, "p2p", dump.p2p_totals);
    put_uint(writer, "not_recorded", dump.not_recorded);
    put_uint(writer, "lines_dropped", dump.lines_dropped);
    put_key(writer, "complete");
    writer->Bool(dump.not_recorded == 0 && dump.lines_dropped == 0);
  });
}

}  // namespace lockstep::dumper
