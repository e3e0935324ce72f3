#include "cli/show/clock_json.h"

#include "base/json.h"

namespace lockstep::cli {
namespace {

using analysis::Alignment;

void put_graded(JsonFields& out, const analysis::Graded& graded) {
  out.string("grade", analysis::kGradeNames[size_t(graded.grade)]);
  out.string("reason", graded.reason);
}

void put_probed(JsonFields& out, const analysis::Probed& probed) {
  if (!probed.any()) return;
  if (!probed.interface.empty()) out.string("interface", probed.interface);
  out.number("windows", probed.windows);
  out.number("windows_ok", probed.ok_windows);
  out.number("received", probed.received);
  out.number("lost", probed.lost);
  out.number("loss_percent", probed.loss_percent());
  out.number("heard_seconds", probed.heard_seconds);
  out.number("of_seconds", probed.of_seconds);
  out.number("coverage_percent", probed.coverage_percent());
}

void put_host(JsonFields& out, const analysis::HostView& host, const analysis::Probed& probed) {
  out.object([&] {
    out.string("host", host.host);
    put_graded(out, host.graded);
    out.boolean("connected", host.connected);
    out.string("source", to_string(host.source));
    out.number("half_width_ns", host.half_width_ns);
    put_probed(out, probed);
  });
}

void put_pair(JsonFields& out, const analysis::PairView& pair) {
  out.object([&] {
    out.string("a", pair.a);
    out.string("b", pair.b);
    out.number("at_raw_ns", pair.at_raw_ns);
    out.number("offset_ns", pair.offset.estimate_ns);
    out.number("lo_ns", pair.offset.lo_ns);
    out.number("hi_ns", pair.offset.hi_ns);
    if (pair.conditional) {
      out.number("conditional_lo_ns", pair.conditional->lo_ns);
      out.number("conditional_hi_ns", pair.conditional->hi_ns);
    }
    out.string("source", to_string(pair.source));
  });
}

void put_edge(JsonFields& out, const clocksync::EdgeReport& edge, const analysis::Graded& graded,
              const analysis::Probed& probed) {
  out.object([&] {
    out.string("a", edge.a);
    out.string("b", edge.b);
    out.string("source", to_string(edge.source));
    put_graded(out, graded);
    out.number("half_width_ns", edge.width_ns / 2);
    out.number("floor_half_width_ns", edge.floor_width_ns / 2);
    out.number("residual_ns", edge.residual_ns);
    out.number("d_ns_s2", edge.d_ns_s2);
    out.boolean("assumption_relaxed", edge.assumption_relaxed);
    out.boolean("asymmetric_path", edge.asymmetric_path);
    out.number("upper_points", edge.upper_points);
    out.number("lower_points", edge.lower_points);
    out.number("steps_proved", edge.steps_proved);
    out.number("steps_suspected", edge.steps_suspected);
    put_probed(out, probed);
  });
}

void put_faults(JsonFields& out, const Alignment& alignment) {
  out.writer().Key("faults");
  out.writer().StartArray();
  for (const clocksync::ModelFault& fault : alignment.model.faults) {
    out.object([&] {
      out.string("kind", fault.kind);
      out.string("detail", fault.detail);
    });
  }
  for (const ClockFault& fault : alignment.prober_faults) {
    out.object([&] {
      out.string("kind", fault.kind);
      out.string("detail", fault.detail);
      out.string("peer", fault.peer);
      out.number("count", fault.count);
      out.number("at_raw_ns", fault.t_raw_ns);
    });
  }
  out.writer().EndArray();
}

void put_counts(JsonFields& out, const analysis::Causality& c) {
  out.number("checked", c.checked);
  out.number("violated_before", c.violated_before);
  out.number("violated_after", c.violated_after);
  out.number("beyond_interval", c.beyond_interval);
  out.number("unaligned", c.unaligned);
  out.number("worst_after_ns", c.worst_after_ns);
}

void put_causality(JsonFields& out, const Alignment& alignment) {
  out.object("causality", [&] { put_counts(out, alignment.causality); });
  out.list("causality_pairs", alignment.causality_pairs, [&](const auto& pair) {
    out.object([&] {
      out.string("a", alignment.model.hosts[pair.a].host);
      out.string("b", alignment.model.hosts[pair.b].host);
      put_counts(out, pair.counts);
    });
  });
}

}  // namespace

std::string alignment_json(const Alignment& alignment) {
  JsonFields out;
  out.object([&] {
    out.string("reference", alignment.model.reference);
    size_t hosts = 0;
    out.list("hosts", alignment.hosts,
             [&](const auto& host) { put_host(out, host, alignment.probed_hosts[hosts++]); });
    out.list("pairs", alignment.pairs, [&](const auto& pair) { put_pair(out, pair); });
    size_t edges = 0;
    out.list("edges", alignment.model.edges, [&](const auto& edge) {
      put_edge(out, edge, alignment.edges[edges], alignment.probed_edges[edges]);
      ++edges;
    });
    put_faults(out, alignment);
    put_causality(out, alignment);
    if (alignment.asymmetry_ns) out.number("declared_asymmetry_ns", *alignment.asymmetry_ns);
    out.strings("assumptions", alignment.model.assumptions);
    out.strings("notes", alignment.notes);
  });
  return std::string(out.text());
}

}  // namespace lockstep::cli
