#include "clocksync/record/clock_model_json.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/json.h"
#include "base/output_file.h"
#include "clocksync/record/clock_files.h"

namespace lockstep::clocksync {
namespace {

constexpr int kModelVersion = 1;
using Writer = JsonWriter;
using Value = json::Value;

void text(Writer& out, const char* key, const std::string& value) {
  out.Key(key);
  out.String(value.data(), json::SizeType(value.size()));
}

template <typename Get>
void numbers(Writer& out, const char* key, const std::vector<ClockKnot>& knots, Get get) {
  out.Key(key);
  out.StartArray();
  for (const ClockKnot& knot : knots) out.Int64(get(knot));
  out.EndArray();
}

void write_host(Writer& out, const HostModel& host) {
  out.StartObject();
  text(out, "host", host.host);
  out.Key("component");
  out.Uint(host.component);
  text(out, "source", to_string(host.source));
  out.Key("weak");
  out.Bool(host.weak);
  numbers(out, "t", host.knots, [](const ClockKnot& k) { return k.local_raw_ns; });
  numbers(out, "theta", host.knots, [](const ClockKnot& k) { return k.theta_ns; });
  numbers(out, "lo", host.knots, [](const ClockKnot& k) { return k.lo_ns; });
  numbers(out, "hi", host.knots, [](const ClockKnot& k) { return k.hi_ns; });
  out.Key("step_after");
  out.StartArray();
  for (size_t k = 0; k < host.knots.size(); ++k) {
    if (host.knots[k].step_after) out.Uint64(k);
  }
  out.EndArray();
  out.EndObject();
}

void write_edge(Writer& out, const EdgeReport& edge) {
  out.StartObject();
  text(out, "a", edge.a);
  text(out, "b", edge.b);
  text(out, "source", to_string(edge.source));
  if (!edge.interface.empty()) text(out, "interface", edge.interface);
  const std::pair<const char*, int64_t> counts[] = {
      {"upper_points", int64_t(edge.upper_points)}, {"lower_points", int64_t(edge.lower_points)},
      {"floor_width_ns", edge.floor_width_ns},      {"width_ns", edge.width_ns},
      {"steps_proved", edge.steps_proved},          {"steps_suspected", edge.steps_suspected}};
  for (const auto& [key, value] : counts) {
    out.Key(key);
    out.Int64(value);
  }
  out.Key("residual_ns");
  out.Double(edge.residual_ns);
  out.Key("d_ns_s2");
  out.Double(edge.d_ns_s2);
  out.Key("assumption_relaxed");
  out.Bool(edge.assumption_relaxed);
  out.Key("asymmetric_path");
  out.Bool(edge.asymmetric_path);
  out.EndObject();
}

void write_model(Writer& out, const ClockModel& model) {
  out.StartObject();
  text(out, "type", "clock_model");
  out.Key("v");
  out.Int(kModelVersion);
  text(out, "reference", model.reference);
  out.Key("d_ns_s2");
  out.Double(model.d_ns_s2);
  out.Key("max_slope_ppm");
  out.Double(model.max_slope_ppm);
  out.Key("assumptions");
  out.StartArray();
  for (const std::string& a : model.assumptions) out.String(a.data(), json::SizeType(a.size()));
  out.EndArray();
  out.Key("hosts");
  out.StartArray();
  for (const HostModel& host : model.hosts) write_host(out, host);
  out.EndArray();
  out.Key("edges");
  out.StartArray();
  for (const EdgeReport& edge : model.edges) write_edge(out, edge);
  out.EndArray();
  out.Key("faults");
  out.StartArray();
  for (const ModelFault& fault : model.faults) {
    out.StartObject();
    text(out, "kind", fault.kind);
    text(out, "detail", fault.detail);
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
}

// Reads members with defaults; the first one of a wrong type is kept as the complaint.
class Members {
 public:
  explicit Members(const Value& object, std::string* bad) : object_(object), bad_(bad) {}

  const Value* find(const char* key) const { return member(object_, key); }
  std::string text(const char* key) const {
    const Value* v = find(key);
    if (v != nullptr && v->IsString()) return v->GetString();
    return complain(key), "";
  }
  double number(const char* key) const {
    const Value* v = find(key);
    if (v != nullptr && v->IsNumber()) return v->GetDouble();
    return complain(key), 0;
  }
  int64_t integer(const char* key) const {
    if (const auto known = known_int(object_, key)) return *known;
    return complain(key), 0;
  }
  bool flag(const char* key) const {
    const Value* v = find(key);
    return v != nullptr && v->IsBool() ? v->GetBool() : (complain(key), false);
  }
  std::vector<int64_t> integers(const char* key) const {
    std::vector<int64_t> list;
    for (const Value& v : array(key)) {
      if (!v.IsInt64()) complain(key);
      list.push_back(v.IsInt64() ? v.GetInt64() : 0);
    }
    return list;
  }
  Value::ConstArray array(const char* key) const {
    if (list_member(object_, key) == nullptr) complain(key);
    return elements_of(object_, key);
  }
  void complain(const char* key) const {
    if (bad_->empty()) *bad_ = key;
  }

 private:
  const Value& object_;
  std::string* bad_;
};

OffsetSource source_of(const Members& m) {
  const std::string name = m.text("source");
  for (const OffsetSource s :
       {OffsetSource::SameHost, OffsetSource::Probes, OffsetSource::Collectives}) {
    if (name == to_string(s)) return s;
  }
  if (name != to_string(OffsetSource::None)) m.complain("source");
  return OffsetSource::None;
}

HostModel read_host(const Members& m) {
  HostModel host;
  host.host = m.text("host");
  host.component = uint32_t(m.integer("component"));
  host.source = source_of(m);
  host.weak = m.flag("weak");
  const auto t = m.integers("t"), theta = m.integers("theta"), lo = m.integers("lo"),
             hi = m.integers("hi");
  if (theta.size() != t.size() || lo.size() != t.size() || hi.size() != t.size()) {
    m.complain("theta");
    return host;
  }
  for (size_t k = 0; k < t.size(); ++k) {
    if (k > 0 && t[k] <= t[k - 1]) m.complain("t");
    host.knots.push_back({t[k], theta[k], lo[k], hi[k], false});
  }
  for (const int64_t k : m.integers("step_after")) {
    if (k < 0 || size_t(k) >= host.knots.size()) {
      m.complain("step_after");
    } else {
      host.knots[size_t(k)].step_after = true;
    }
  }
  return host;
}

EdgeReport read_edge(const Members& m) {
  EdgeReport edge;
  edge.a = m.text("a");
  edge.b = m.text("b");
  edge.source = source_of(m);
  if (m.find("interface") != nullptr) edge.interface = m.text("interface");
  edge.upper_points = uint64_t(m.integer("upper_points"));
  edge.lower_points = uint64_t(m.integer("lower_points"));
  edge.floor_width_ns = m.integer("floor_width_ns");
  edge.width_ns = m.integer("width_ns");
  edge.steps_proved = uint32_t(m.integer("steps_proved"));
  edge.steps_suspected = uint32_t(m.integer("steps_suspected"));
  edge.residual_ns = m.number("residual_ns");
  edge.d_ns_s2 = m.number("d_ns_s2");
  edge.assumption_relaxed = m.flag("assumption_relaxed");
  edge.asymmetric_path = m.flag("asymmetric_path");
  return edge;
}

ClockModel read_model(const Members& m, std::string* bad) {
  ClockModel model;
  if (m.text("type") != "clock_model" || m.integer("v") != kModelVersion) m.complain("v");
  model.reference = m.text("reference");
  model.d_ns_s2 = m.number("d_ns_s2");
  model.max_slope_ppm = m.number("max_slope_ppm");
  for (const Value& a : m.array("assumptions")) model.assumptions.push_back(text_of(a));
  for (const Value& v : m.array("hosts")) model.hosts.push_back(read_host(Members(v, bad)));
  for (const Value& v : m.array("edges")) model.edges.push_back(read_edge(Members(v, bad)));
  for (const Value& v : m.array("faults")) {
    const Members fault(v, bad);
    model.faults.push_back({fault.text("kind"), fault.text("detail")});
  }
  for (size_t h = 0; h < model.hosts.size(); ++h) {
    if (model.hosts[h].component >= model.hosts.size()) m.complain("component");
    if (h > 0 && model.hosts[h].host <= model.hosts[h - 1].host) m.complain("host");
  }
  return model;
}

}  // namespace

Status save_clock_model(const ClockModel& model, const std::string& path) {
  json::StringBuffer text;
  Writer out(text);
  write_model(out, model);
  text.Put('\n');
  return write_file(path, {text.GetString(), text.GetSize()}, IfExists::Replace, {0600});
}

Result<ClockModel> load_clock_model(const std::string& path) {
  const std::unique_ptr<std::FILE, FileCloser> file(std::fopen(path.c_str(), "re"));
  if (file == nullptr) {
    return Status::error(path + ": cannot be opened (" + std::strerror(errno) +
                         "); `lockstep align DIR` makes it");
  }
  json::Document document;
  if (const auto error = parse_exact_json(file.get(), &document)) {
    return Status::error(path + ": byte " + std::to_string(error->byte) + ": " + error->what +
                         "; make it anew with `lockstep align DIR`");
  }
  std::string bad;
  ClockModel model = read_model(Members(document, &bad), &bad);
  if (!bad.empty()) {
    return Status::error(
        path + ": key '" + bad + "' is missing or not what a clock model of version " +
        std::to_string(kModelVersion) + " has; make it anew with `lockstep align DIR`");
  }
  return model;
}

}  // namespace lockstep::clocksync
