#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "cli/clock_view.h"

namespace lockstep::cli {
namespace {

using analysis::Alignment;
using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void put(Writer& out, const char* key, const std::string& value) {
  out.Key(key);
  out.String(value.data(), rapidjson::SizeType(value.size()));
}
void put(Writer& out, const char* key, const char* value) { put(out, key, std::string(value)); }
void put(Writer& out, const char* key, int64_t value) {
  out.Key(key);
  out.Int64(value);
}
void put(Writer& out, const char* key, uint64_t value) {
  out.Key(key);
  out.Uint64(value);
}

void put_graded(Writer& out, const analysis::Graded& graded) {
  put(out, "grade", analysis::kGradeNames[size_t(graded.grade)]);
  put(out, "reason", graded.reason);
}

template <typename List, typename Item>
void array(Writer& out, const char* key, const List& list, Item item) {
  out.Key(key);
  out.StartArray();
  for (size_t i = 0; i < list.size(); ++i) {
    out.StartObject();
    item(list[i], i);
    out.EndObject();
  }
  out.EndArray();
}

void put_edge(Writer& out, const clocksync::EdgeReport& edge, const analysis::Graded& graded) {
  put(out, "a", edge.a);
  put(out, "b", edge.b);
  put(out, "source", to_string(edge.source));
  put_graded(out, graded);
  put(out, "half_width_ns", edge.width_ns / 2);
  put(out, "floor_half_width_ns", edge.floor_width_ns / 2);
  out.Key("residual_ns");
  out.Double(edge.residual_ns);
  out.Key("d_ns_s2");
  out.Double(edge.d_ns_s2);
  out.Key("assumption_relaxed");
  out.Bool(edge.assumption_relaxed);
  out.Key("asymmetric_path");
  out.Bool(edge.asymmetric_path);
  put(out, "upper_points", edge.upper_points);
  put(out, "lower_points", edge.lower_points);
  put(out, "steps_proved", uint64_t{edge.steps_proved});
  put(out, "steps_suspected", uint64_t{edge.steps_suspected});
}

void put_causality(Writer& out, const analysis::Causality& c) {
  out.Key("causality");
  out.StartObject();
  put(out, "checked", c.checked);
  put(out, "violated_before", c.violated_before);
  put(out, "violated_after", c.violated_after);
  put(out, "beyond_interval", c.beyond_interval);
  put(out, "unaligned", c.unaligned);
  put(out, "worst_after_ns", c.worst_after_ns);
  out.EndObject();
}

void put_faults(Writer& out, const Alignment& alignment) {
  out.Key("faults");
  out.StartArray();
  for (const clocksync::ModelFault& fault : alignment.model.faults) {
    out.StartObject();
    put(out, "kind", fault.kind);
    put(out, "detail", fault.detail);
    out.EndObject();
  }
  for (const ClockFault& fault : alignment.prober_faults) {
    out.StartObject();
    put(out, "kind", fault.kind);
    put(out, "detail", fault.detail);
    put(out, "peer", fault.peer);
    put(out, "count", fault.count);
    put(out, "at_raw_ns", fault.t_raw_ns);
    out.EndObject();
  }
  out.EndArray();
}

void put_texts(Writer& out, const char* key, const std::vector<std::string>& texts) {
  out.Key(key);
  out.StartArray();
  for (const std::string& text : texts) out.String(text.data(), rapidjson::SizeType(text.size()));
  out.EndArray();
}

}  // namespace

std::string alignment_json(const Alignment& alignment) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  out.StartObject();
  put(out, "reference", alignment.model.reference);
  array(out, "hosts", alignment.hosts, [&](const analysis::HostView& host, size_t) {
    put(out, "host", host.host);
    put_graded(out, host.graded);
    out.Key("connected");
    out.Bool(host.connected);
    put(out, "source", to_string(host.source));
    put(out, "half_width_ns", host.half_width_ns);
  });
  array(out, "pairs", alignment.pairs, [&](const analysis::PairView& pair, size_t) {
    put(out, "a", pair.a);
    put(out, "b", pair.b);
    put(out, "at_raw_ns", pair.at_raw_ns);
    put(out, "offset_ns", pair.offset.estimate_ns);
    put(out, "lo_ns", pair.offset.lo_ns);
    put(out, "hi_ns", pair.offset.hi_ns);
    if (pair.conditional) {
      put(out, "conditional_lo_ns", pair.conditional->lo_ns);
      put(out, "conditional_hi_ns", pair.conditional->hi_ns);
    }
    put(out, "source", to_string(pair.source));
  });
  array(out, "edges", alignment.model.edges, [&](const clocksync::EdgeReport& edge, size_t i) {
    put_edge(out, edge, alignment.edges[i]);
  });
  put_faults(out, alignment);
  put_causality(out, alignment.causality);
  if (alignment.asymmetry_ns) put(out, "declared_asymmetry_ns", *alignment.asymmetry_ns);
  put_texts(out, "assumptions", alignment.model.assumptions);
  put_texts(out, "notes", alignment.notes);
  out.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace lockstep::cli
