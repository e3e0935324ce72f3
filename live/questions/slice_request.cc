#include "live/questions/slice_request.h"

#include <algorithm>
#include <limits>

#include "base/json.h"

namespace lockstep::live {
namespace {

using dumper::Instant;

void put_instant(const char* key, const std::optional<Instant>& instant, JsonFields* out) {
  if (!instant) return;
  out->object(key, [&] {
    out->boolean("epoch", instant->since == Instant::Since::Epoch);
    out->number("ns", instant->ns);
  });
}

std::optional<Instant> instant_member(const json::Value& object, const char* name) {
  const json::Value* value = member(object, name);
  if (value == nullptr) return std::nullopt;
  const json::Value* epoch = member(*value, "epoch");
  const auto ns = known_int(*value, "ns");
  if (!ns || epoch == nullptr || !epoch->IsBool()) return std::nullopt;
  return Instant{epoch->GetBool() ? Instant::Since::Epoch : Instant::Since::RunStart, *ns};
}

}  // namespace

std::string to_json(const SliceRequest& request) {
  const dumper::Selection& selection = request.selection;
  JsonFields out;
  out.object([&] {
    if (selection.last_ns) out.number("last_ns", *selection.last_ns);
    put_instant("from", selection.from, &out);
    put_instant("to", selection.to, &out);
    if (selection.pid) out.number("pid", *selection.pid);
    out.list("ranks", selection.ranks, [&](const auto& range) {
      out.object([&] {
        out.number("first", range.first);
        out.number("last", range.second);
      });
    });
    out.number("max_bytes", request.max_bytes);
    out.boolean("host_load", request.host_load);
    if (request.kinds != dumper::kAllKinds) out.number("kinds", request.kinds);
    if (request.rows_from_ns) out.number("rows_from_ns", *request.rows_from_ns);
    if (request.rows_to_ns) out.number("rows_to_ns", *request.rows_to_ns);
    if (request.only_ranks) {
      out.object("only_ranks", [&] {
        out.number("first", request.only_ranks->first);
        out.number("last", request.only_ranks->second);
      });
    }
  });
  return std::string(out.text());
}

Result<SliceRequest> parse_slice_request(const std::string& text) {
  json::Document document;
  if (!parse_json(text, &document))
    return Status::error("the arguments of the question `slice` are no JSON object");
  SliceRequest request;
  dumper::Selection& selection = request.selection;
  selection.last_ns = known_int(document, "last_ns");
  selection.from = instant_member(document, "from");
  selection.to = instant_member(document, "to");
  if (const uint64_t pid = uint_member(document, "pid"); pid != 0)
    selection.pid = static_cast<uint32_t>(pid);
  for (const json::Value& range : elements_of(document, "ranks")) {
    selection.ranks.emplace_back(static_cast<uint32_t>(uint_member(range, "first")),
                                 static_cast<uint32_t>(uint_member(range, "last")));
  }
  request.max_bytes = uint_member(document, "max_bytes");
  request.host_load = bool_member(document, "host_load", true);
  if (const json::Value* only = member(document, "only_ranks"); only != nullptr) {
    const auto first = known_int(*only, "first"), last = known_int(*only, "last");
    if (first && last) request.only_ranks.emplace(*first, *last);
  }
  if (const json::Value* kinds = member(document, "kinds"); kinds != nullptr && kinds->IsUint())
    request.kinds = kinds->GetUint();
  request.rows_from_ns = known_int(document, "rows_from_ns");
  request.rows_to_ns = known_int(document, "rows_to_ns");
  return request;
}

std::string to_json(const std::vector<SliceRow>& rows) {
  JsonFields out;
  out.writer().StartArray();
  for (const SliceRow& row : rows) {
    out.object([&] {
      out.string("host", row.host);
      out.number("pid", row.pid);
      out.number("uid", row.uid);
      out.number("from_raw_ns", row.span.from_ns);
      out.number("to_raw_ns", row.span.to_ns);
      out.number("last_raw_ns", row.last_raw_ns);
      out.number("last_real_ns", row.last_real_ns);
      out.number("bytes", row.bytes);
      out.boolean("has_shared", row.has_shared);
    });
  }
  out.writer().EndArray();
  return std::string(out.text());
}

std::vector<SliceRow> parse_slice_rows(const std::string& text) {
  json::Document document;
  std::vector<SliceRow> rows;
  parse_json_list(text, &document);
  for (const json::Value& object : document.GetArray()) {
    SliceRow row;
    row.host = text_member(object, "host");
    row.pid = static_cast<uint32_t>(uint_member(object, "pid"));
    row.uid = uint_member(object, "uid");
    row.span = {uint_member(object, "from_raw_ns"), uint_member(object, "to_raw_ns")};
    row.last_raw_ns = uint_member(object, "last_raw_ns");
    row.last_real_ns = int_member(object, "last_real_ns");
    row.bytes = uint_member(object, "bytes");
    row.has_shared = bool_member(object, "has_shared");
    if (row.uid != 0 && row.last_real_ns >= 0) rows.push_back(std::move(row));
  }
  return rows;
}

dumper::Selection selection_of(const SliceRequest& request, const std::vector<SliceRow>& rows) {
  dumper::Selection selection;
  selection.ranks = request.selection.ranks;
  selection.comm = request.selection.comm;
  selection.chosen.emplace();
  int64_t run_end_ns = std::numeric_limits<int64_t>::min();
  std::map<std::string, int64_t> ends;  // by host
  for (const SliceRow& row : rows) {
    run_end_ns = std::max(run_end_ns, row.last_real_ns);
    int64_t& end_ns = ends.emplace(row.host, row.last_real_ns).first->second;
    end_ns = std::max(end_ns, row.last_real_ns);
  }
  for (const SliceRow& row : rows) {
    dumper::RawSpan span = row.span;
    if (request.selection.last_ns && span.from_ns != 0)
      span.from_ns += static_cast<uint64_t>(run_end_ns - ends[row.host]);
    (*selection.chosen)[row.uid] = span;
  }
  return selection;
}

}  // namespace lockstep::live
