#include "analysis/report/report_json.h"

#include <algorithm>

#include "base/json.h"
#include "lockstep/kind_mask.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kMostKinds = 500, kMostSteps = 2000, kMostVerdicts = 100, kMostExpected = 500,
                 kMostLogLines = 5000, kMostCommunicators = 2000, kMostDamage = 20;

// The first `most` of a list that is in order of importance, or of time.
template <typename Row>
std::vector<const Row*> first_of(const std::vector<Row>& rows, size_t most) {
  std::vector<const Row*> out;
  for (size_t i = 0; i < std::min(rows.size(), most); ++i) out.push_back(&rows[i]);
  return out;
}

std::vector<std::string> first_texts(const std::vector<std::string>& texts) {
  return {texts.begin(),
          texts.begin() + static_cast<std::ptrdiff_t>(std::min(texts.size(), kMostDamage))};
}

void put_share(const char* key, double share, JsonFields* out) {
  if (share < 0) {
    out->raw(key, "null");
  } else {
    out->number(key, share);
  }
}

void put_headline(const Headline& line, JsonFields* out) {
  out->object("headline", [&] {
    out->string("kind", kHeadlineKindNames[static_cast<size_t>(line.kind)]);
    out->string("text", line.text);
    put_share("cost_share", line.cost_share, out);
    if (line.kind == HeadlineKind::Hangs || line.kind == HeadlineKind::Costs)
      out->number("verdict", line.finding);
    if (line.waiting_ranks != 0) out->number("waiting_ranks", line.waiting_ranks);
  });
}

void put_verdict(const SaidFinding& finding, JsonFields* out) {
  const auto rank = [&](int32_t number) { out->writer().Int(number); };
  out->object([&] {
    out->string("kind", name_of(finding.kind));
    out->string("text", finding.text);
    out->number("confidence", finding.confidence);
    out->string("communicator", finding.communicator);
    out->list("ranks", finding.ranks, rank);
    out->list("culprits", finding.culprits, rank);
    put_share("cost_share", finding.cost_share, out);
    out->number("since_s", finding.since_s);
    out->strings("evidence", finding.evidence);
    out->strings("evidence_sql", finding.evidence_sql);
    out->list("evidence_places", finding.evidence_places, [&](const SaidPlace& place) {
      out->object([&] {
        if (!place.func.empty()) {
          out->string("func", place.func);
          out->number("nranks", place.nranks);
          out->number("size_bytes", place.size_bytes);
        }
        if (place.slow_took_ns > 0) out->number("slow_took_ns", place.slow_took_ns);
        if (place.from_rank < 0 || place.to_rank < 0) return;
        out->string("communicator", place.communicator);
        out->number("from", place.from_rank);
        out->number("to", place.to_rank);
      });
    });
    out->list("at_ns", finding.at_ns, [&](int64_t ns) { out->writer().Int64(ns); });
  });
}

void put_kind(const SignatureRow& row, JsonFields* out) {
  out->object([&] {
    out->string("func", row.func);
    out->string("algo", row.algo);
    out->string("proto", row.proto);
    out->string("kind", kOpKindNames[static_cast<size_t>(row.kind)]);
    out->number("nranks", row.nranks);
    out->number("size_bytes", row.size_bytes);
    out->number("operations", row.operations);
    out->number("matches", row.matches);
    out->number("elapsed_ns", row.elapsed.sum_ns);
    out->number("wait_ns", row.wait.sum_ns);
    out->number("transfer_median_ns", row.transfer.median_ns);
    out->number("transfer_p99_ns", row.transfer.p99_ns);
    out->number("busbw_gbs", row.busbw_gbs);
  });
}

void put_rank_row(const RankRow& row, JsonFields* out) {
  out->object([&] {
    out->number("rank", row.rank);
    out->string("host", row.host);
    out->number("operations", row.operations);
    out->number("late", row.late);
    out->number("wait_ns", row.wait_ns);
    out->number("caused_wait_ns", row.caused_wait_ns);
    out->string("cause", kCauseNames[static_cast<size_t>(row.cause)]);
  });
}

void put_clock(const Report& report, JsonFields* out) {
  out->object("clock", [&] {
    out->boolean("one_clock", report.aligned);
    out->number("error_ns", report.clock_error_ns);
    out->strings("hosts", report.clock_hosts);
    out->list("points", report.clock_points, [&](const std::array<double, 4>& point) {
      out->writer().StartArray();
      for (const double value : point) out->writer().Double(value);
      out->writer().EndArray();
    });
  });
}

void put_tables(const std::vector<SaidTable>& tables, JsonFields* out) {
  out->list("tables", tables, [&](const SaidTable& table) {
    out->object([&] {
      out->string("title", table.title);
      out->string("words", table.words);
      out->string("coverage", table.coverage);
      out->strings("columns", table.columns);
      out->list("rows", table.rows, [&](const std::vector<std::string>& row) {
        out->writer().StartArray();
        for (const std::string& cell : row) out->element(cell);
        out->writer().EndArray();
      });
    });
  });
}

void put_step(const StepRow& row, int64_t path_start_ns, JsonFields* out) {
  out->object([&] {
    out->string("step", row.step);
    out->number("start_ns", path_start_ns + row.start_ns);
    out->number("duration_ns", row.duration_ns);
    out->number("own_ns", row.own_ns);
    out->number("transfer_ns", row.transfer_ns);
    out->number("excess_ns", row.excess_ns);
    out->number("gain_ns", row.gain_ns);
    out->string("rank", row.rank);
    out->string("host", row.host);
    out->string("communicator", row.communicator);
  });
}

void put_peers(const std::vector<PeerMatrix>& matrices, JsonFields* out) {
  out->list("peers", matrices, [&](const PeerMatrix& matrix) {
    out->object([&] {
      out->string("communicator", matrix.communicator);
      out->number("side", matrix.side);
      out->number("ranks_per_cell", matrix.ranks_per_cell);
      out->list("cells", matrix.cells, [&](const PeerCell& cell) {
        out->writer().StartArray();
        for (const uint64_t value :
             {uint64_t{cell.from}, uint64_t{cell.to}, cell.bytes, cell.sends})
          out->writer().Uint64(value);
        out->writer().EndArray();
      });
    });
  });
}

void put_lane(const PageLane& lane, JsonFields* out) {
  out->object([&] {
    out->string("kind", kLaneKindNames[static_cast<size_t>(lane.kind)]);
    out->string("name", lane.name);
    out->list("spans", lane.spans, [&](const LaneSpan& span) {
      out->writer().StartArray();
      out->writer().Int64(span.from_ns);
      out->writer().Int64(span.to_ns);
      out->element(span.text);
      out->writer().EndArray();
    });
  });
}

void put_expected(const ExpectedRow& row, JsonFields* out) {
  out->object([&] {
    out->string("func", row.func);
    out->string("communicator", row.communicator);
    out->number("nranks", row.nranks);
    out->number("size_bytes", row.size_bytes);
    out->number("operations", row.operations);
    out->number("slow", row.slow);
    out->number("median_ns", row.median_ns);
    out->number("expected_ns", row.expected_ns);
    out->number("busbw_gbs", row.busbw_gbs);
  });
}

// By time. Where there are more than fit, errors and warnings before others.
std::vector<const LogLine*> lines_that_fit(const std::vector<LogLine>& lines) {
  size_t others = kMostLogLines;
  for (const LogLine& line : lines) {
    if (line.level >= LogLevel::Warning && others > 0) --others;
  }
  std::vector<const LogLine*> fit;
  for (const LogLine& line : lines) {
    if (fit.size() == kMostLogLines) break;
    if (line.level < LogLevel::Warning && others == 0) continue;
    if (line.level < LogLevel::Warning) --others;
    fit.push_back(&line);
  }
  return fit;
}

void put_log_line(const LogLine& row, JsonFields* out) {
  out->object([&] {
    out->number("at_ns", row.at_ns);
    out->string("file", row.file);
    out->number("line", row.line);
    out->string("level", kLogLevelNames[static_cast<size_t>(row.level)]);
    if (row.rank >= 0) out->number("rank", row.rank);
    out->string("text", row.text);
  });
}

void put_changes(const char* key, const std::vector<Change>& changes, JsonFields* out) {
  out->list(key, changes, [&](const Change& change) {
    out->object([&] {
      out->string("what", change.what);
      out->number("before_median_ns", change.before.median_ns);
      out->number("after_median_ns", change.after.median_ns);
      out->number("ratio", change.ratio);
      out->number("earlier_runs_ratio", change.between);
    });
  });
}

void put_known_comm(const KnownComm& one, JsonFields* out) {
  const Capability& known = one.known;
  out->string("communicator", one.communicator);
  out->strings("nccl", one.nccl);
  out->number("nranks", known.nranks);
  out->number("recorded_ranks", known.recorded_ranks);
  out->number("recorded_ns", known.recorded_ns);
  out->strings("kinds", kind_names(known.came));
  out->strings("kinds_off", kind_names(known.offered & ~known.on & ~known.came));
  out->strings("kinds_not_offered", kind_names(~known.offered & ~known.came));
  out->number("deep_kinds_of_one_in", known.one_in);
  for (const auto& [name, count] : {std::pair("operations", known.operations),
                                    {"with_end", known.with_end},
                                    {"with_kernels", known.with_kernels},
                                    {"with_gpu_times", known.with_gpu_times},
                                    {"with_network", known.with_network},
                                    {"with_steps", known.with_steps},
                                    {"with_all_ranks", known.with_all_ranks},
                                    {"with_one_clock", known.with_one_clock},
                                    {"lost", known.lost}})
    out->number(name, count);
}

void put_known_time(const char* key, int64_t ns, JsonFields* out) {
  if (ns == kNoTime) {
    out->raw(key, "null");
  } else {
    out->number(key, ns);
  }
}

void put_start(const CommStart& start, JsonFields* out) {
  out->object([&] {
    out->string("communicator", start.communicator);
    out->number("nranks", start.nranks);
    out->number("recorded_ranks", start.recorded_ranks);
    out->number("init_ns", start.init_ns);
    put_known_time("apart_ns", start.apart_ns, out);
    out->number("last_rank", start.last_rank);
    put_known_time("until_call_median_ns", start.until_call_median_ns, out);
    put_known_time("until_call_longest_ns", start.until_call_longest_ns, out);
    out->number("longest_rank", start.longest_rank);
    put_known_time("first_took_median_ns", start.first_took_median_ns, out);
    put_known_time("first_took_longest_ns", start.first_took_longest_ns, out);
  });
}

}  // namespace

void put_kept_findings(const KeptFindings& kept, JsonFields* out) {
  if (kept.taken_unix_ns == 0) return;
  out->object("found_live", [&] {
    out->number("taken_unix_ns", kept.taken_unix_ns);
    out->list("findings", kept.findings, [&](const KeptFindings::One& one) {
      out->object([&] {
        out->string("kind", one.kind);
        out->string("text", one.text);
        out->number("confidence", one.confidence);
      });
    });
  });
}

void put_comparison(const Comparison& comparison, JsonFields* out) {
  out->writer().SetMaxDecimalPlaces(6);
  put_changes("slower", comparison.slower, out);
  put_changes("faster", comparison.faster, out);
  out->number("compared", comparison.compared);
  out->string("compared_words", comparison_note(comparison));
}

void put_report(const Report& report, const Comparison* comparison, JsonFields* out) {
  out->writer().SetMaxDecimalPlaces(6);
  for (const auto& [metric, value] : report.metrics) out->raw(metric, value);
  out->strings("answers", report.answers);
  out->string("times", report.clock_text);
  out->strings("not_known", report.coverage);
  out->strings("damage", first_texts(report.damage));
  out->string("nothing_missing", report.nothing_missing());
  out->number("without_end", report.without_end);
  if (comparison != nullptr) put_comparison(*comparison, out);
  out->string("title", report.title);
  put_headline(report.headline, out);
  out->number("length_ns", report.length_ns);
  out->number("origin_unix_ns", report.origin_unix_ns);
  out->list("verdicts", first_of(report.findings, kMostVerdicts),
            [&](const SaidFinding* one) { put_verdict(*one, out); });
  out->string("communicator", report.communicator());
  out->list("kinds", first_of(report.signatures, kMostKinds),
            [&](const SignatureRow* one) { put_kind(*one, out); });
  out->list("ranks", report.ranks(), [&](const RankRow& row) { put_rank_row(row, out); });
  out->list("places", report.places, [&](const PlaceRow& row) {
    out->writer().StartArray();
    out->writer().Int(row.rank);
    out->element(row.host);
    out->writer().Uint(row.pid);
    out->writer().EndArray();
  });
  put_clock(report, out);
  put_tables(report.accounts, out);
  out->string("operations_coverage", report.operations_coverage);
  out->string("ranks_coverage", report.ranks_coverage);
  out->string("bandwidth_words", kBandwidthWords);
  out->list("capabilities", first_of(report.capabilities, kMostCommunicators),
            [&](const KnownComm* one) { out->object([&] { put_known_comm(*one, out); }); });
  out->list("starts", first_of(report.starts, kMostCommunicators),
            [&](const CommStart* one) { put_start(*one, out); });
  out->list("steps", first_of(report.steps, kMostSteps),
            [&](const StepRow* one) { put_step(*one, report.path_start_ns, out); });
  out->list("lanes", report.lanes, [&](const PageLane& lane) { put_lane(lane, out); });
  put_peers(report.peers, out);
  out->list("expected", first_of(report.expected, kMostExpected),
            [&](const ExpectedRow* one) { put_expected(*one, out); });
  out->list("logs", lines_that_fit(report.logs),
            [&](const LogLine* one) { put_log_line(*one, out); });
  put_kept_findings(report.found_live, out);
}

}  // namespace lockstep::analysis
