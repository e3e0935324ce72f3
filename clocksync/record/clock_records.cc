#include "clocksync/record/clock_records.h"

#include <cerrno>
#include <cstring>
#include <type_traits>

#include "base/json.h"

namespace lockstep::clocksync {
namespace {

using JsonValue = json::Value;

// The fields of each record, named once for both directions. V is Put or Get below.
template <typename V>
void visit(V& v, ClockHello& r) {
  v("v", r.version);
  v("host", r.host);
  v("boot_id", r.boot_id);
  v("clock_namespace", r.clock_namespace);
  v("job", r.job);
  v("epoch", r.epoch);
  v("nonce", r.nonce);
  v("kernel", r.kernel);
  v("clocksource", r.clocksource);
  v("vdso", r.vdso);
  v("nic_name", r.nic_name);
  v("nic_driver", r.nic_driver);
  v("nic_stamps", r.nic_stamps);
  v("nic_coalesce", r.nic_coalesce);
  v("addresses", r.addresses);
  v("config", r.config);
}

template <typename V>
void visit(V& v, ClockSnapshot& r) {
  v("raw", r.raw_ns);
  v("real", r.real_ns);
  v("mono", r.mono_ns);
  v("bracket_ns", r.bracket_ns);
  v("freq_ppm", r.freq_ppm);
  v("adj_status", r.adj_status);
}

template <typename V>
void visit(V& v, GpuSnapshot& r) {
  v("gpu_uuid", r.gpu_uuid);
  v("raw_lo", r.raw_lo_ns);
  v("raw_hi", r.raw_hi_ns);
  v("gpu", r.gpu_ns);
  v("gran_ns", r.granularity_ns);
  v("method", r.method);
  v("comms", r.comms);
}

template <typename V>
void visit(V& v, HullBin& r) {
  v("peer", r.peer);
  v("path", r.path);
  v("bin", r.bin);
  v("n", r.received);
  v("lost", r.lost);
  v("dup", r.duplicated);
  v("purity", r.purity);
  v("pts", r.points);
  v.unless_empty("interface", r.interface);
}

template <typename V>
void visit(V& v, WindowStats& r) {
  v("window_id", r.window_id);
  v("peer", r.peer);
  v("start", r.start_raw_ns);
  v("end", r.end_raw_ns);
  v("alpha", r.alpha);
  v("beta", r.beta_ns);
  v("lo_ns", r.lo_ns);
  v("hi_ns", r.hi_ns);
  v("pairs", r.pairs);
  v("sent", r.sent);
  v("received", r.received);
  v("lost", r.lost);
  v("purity", r.purity);
  v("min_rtt_ns", r.min_rtt_ns);
  v("kind", r.kind);
  v("status", r.status);
  v("reason", r.reason);
  v("dropped_auth", r.dropped_auth);
  v("dropped_replay", r.dropped_replay);
  v("dropped_version", r.dropped_version);
  v("dropped_malformed", r.dropped_malformed);
  v.unless_empty("interface", r.interface);
}

template <typename V>
void visit(V& v, EdgeState& r) {
  v("peer", r.peer);
  v("state", r.state);
  v("reason", r.reason);
  v("trains_per_s", r.trains_per_s);
  v.unless_empty("interface", r.interface);
}

template <typename V>
void visit(V& v, ClockFault& r) {
  v("kind", r.kind);
  v("peer", r.peer);
  v("detail", r.detail);
  v("count", r.count);
}

// The type names, in the order of the variant.
constexpr const char* kTypeNames[] = {"hello",        "clock_snapshot", "gpu_snapshot", "hull",
                                      "window_stats", "edge_state",     "fault"};
static_assert(std::size(kTypeNames) == std::variant_size_v<ClockRecord>);

class Put {
 public:
  explicit Put(JsonWriter& out) : out_(out) {}

  template <typename T>
  void operator()(const char* key, const T& value) {
    out_.Key(key);
    put(value);
  }
  void unless_empty(const char* key, const std::string& text) {
    if (!text.empty()) (*this)(key, text);
  }
  void put(const std::string& s) { out_.String(s.data(), json::SizeType(s.size())); }
  void put(bool b) { out_.Bool(b); }
  void put(int i) { out_.Int(i); }
  void put(int64_t i) { out_.Int64(i); }
  void put(uint64_t u) { out_.Uint64(u); }
  // JSON has no infinity; a value that is none is written as 0.
  void put(double d) { out_.Double(d - d == 0 ? d : 0); }
  void put(StampKind kind) { out_.Int(int(kind)); }
  void put(const ClockSetting& s) {
    out_.StartArray();
    put(s.name);
    put(s.value);
    put(s.origin);
    out_.EndArray();
  }
  void put(const HullPoint& p) {
    out_.StartArray();
    put(p.tx_raw_ns);
    put(p.delta_ns);
    put(p.kind);
    put(uint64_t(p.uncertainty_ns));
    out_.EndArray();
  }
  template <typename T>
  void put(const std::vector<T>& list) {
    out_.StartArray();
    for (const T& item : list) put(item);
    out_.EndArray();
  }

 private:
  JsonWriter& out_;
};

// Reads fields out of one object. A missing field keeps its default (an older writer); a field of
// the wrong type damages the line.
class Get {
 public:
  explicit Get(const JsonValue& object) : object_(object) {}

  template <typename T>
  void operator()(const char* key, T& value) {
    const JsonValue* there = member(object_, key);
    if (there != nullptr && !get(*there, value) && bad_key_ == nullptr) bad_key_ = key;
  }
  void unless_empty(const char* key, std::string& text) { (*this)(key, text); }
  const char* bad_key() const { return bad_key_; }

 private:
  static bool get(const JsonValue& v, std::string& s) {
    if (!v.IsString()) return false;
    s.assign(v.GetString(), v.GetStringLength());
    return true;
  }
  static bool get(const JsonValue& v, bool& b) { return v.IsBool() && (b = v.GetBool(), true); }
  static bool get(const JsonValue& v, int& i) { return v.IsInt() && (i = v.GetInt(), true); }
  static bool get(const JsonValue& v, int64_t& i) {
    return v.IsInt64() && (i = v.GetInt64(), true);
  }
  static bool get(const JsonValue& v, uint64_t& u) {
    return v.IsUint64() && (u = v.GetUint64(), true);
  }
  static bool get(const JsonValue& v, double& d) {
    return v.IsNumber() && (d = v.GetDouble(), true);
  }
  static bool get(const JsonValue& v, StampKind& kind) {
    if (!v.IsInt() || v.GetInt() < 0 || v.GetInt() > int(StampKind::Hardware)) return false;
    kind = StampKind(v.GetInt());
    return true;
  }
  static bool get(const JsonValue& v, ClockSetting& s) {
    return v.IsArray() && v.Size() == 3 && get(v[0], s.name) && get(v[1], s.value) &&
           get(v[2], s.origin);
  }
  static bool get(const JsonValue& v, HullPoint& p) {
    if (!v.IsArray() || v.Size() != 4 || !v[3].IsUint()) return false;
    p.uncertainty_ns = v[3].GetUint();
    return get(v[0], p.tx_raw_ns) && get(v[1], p.delta_ns) && get(v[2], p.kind);
  }
  template <typename T>
  static bool get(const JsonValue& v, std::vector<T>& list) {
    if (!v.IsArray()) return false;
    list.resize(v.Size());
    for (json::SizeType i = 0; i < v.Size(); ++i) {
      if (!get(v[i], list[i])) return false;
    }
    return true;
  }

  const JsonValue& object_;
  const char* bad_key_ = nullptr;
};

template <size_t I = 0>
Result<std::optional<ClockRecord>> read_as(const std::string& type, const JsonValue& object) {
  if constexpr (I == std::variant_size_v<ClockRecord>) {
    return std::optional<ClockRecord>();
  } else {
    if (type != kTypeNames[I]) return read_as<I + 1>(type, object);
    std::variant_alternative_t<I, ClockRecord> record;
    Get get(object);
    get("t", record.t_raw_ns);
    visit(get, record);
    if (get.bad_key() != nullptr) {
      return Status::error(type + " record: field '" + get.bad_key() + "' has the wrong type");
    }
    return std::optional<ClockRecord>(std::move(record));
  }
}

}  // namespace

std::string to_json(const ClockRecord& record) {
  json::StringBuffer text;
  JsonWriter out(text);
  Put put(out);
  out.StartObject();
  put("type", std::string(kTypeNames[record.index()]));
  std::visit(
      [&](const auto& r) {
        put("t", r.t_raw_ns);
        // visit() takes a mutable record because Get shares it; Put never writes to it.
        visit(put, const_cast<std::remove_const_t<std::remove_reference_t<decltype(r)>>&>(r));
      },
      record);
  out.EndObject();
  return std::string(text.GetString(), text.GetSize());
}

Result<std::optional<ClockRecord>> from_json(const char* line, size_t size_bytes) {
  json::Document document;
  if (const auto error = parse_exact_json({line, size_bytes}, &document))
    return Status::error("not JSON at column " + std::to_string(error->byte));
  if (!document.IsObject()) return Status::error("not a JSON object");
  const json::Value* type = member(document, "type");
  if (type == nullptr || !type->IsString()) return Status::error("no field 'type'");
  return read_as(text_of(*type), document);
}

}  // namespace lockstep::clocksync
