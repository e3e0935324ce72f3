// JSON as exporters and commands write it: a buffer, RapidJSON's writer on it, and a member's name
// and value in one call. Included by .cc files only.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/json_reading.h"

namespace lockstep::analysis {

class JsonFields {
 public:
  JsonFields() : out_(buffer_) {}

  void string(std::string_view key, std::string_view text) { dumper::put_text(&out_, key, text); }
  template <class Number>
  void number(std::string_view key, Number value) {
    static_assert(!std::is_same_v<Number, bool>);
    dumper::put_key(&out_, key);
    if constexpr (std::is_floating_point_v<Number>) {
      out_.Double(value);
    } else if constexpr (std::is_signed_v<Number>) {
      out_.Int64(value);
    } else {
      out_.Uint64(value);
    }
  }
  void boolean(std::string_view key, bool value) {
    dumper::put_key(&out_, key);
    out_.Bool(value);
  }
  // A value that is JSON already.
  void raw(std::string_view key, std::string_view json) {
    dumper::put_key(&out_, key);
    out_.RawValue(json.data(), json.size(), lockstep_rapidjson::kObjectType);
  }

  // `write` puts the members.
  template <class Write>
  void object(const Write& write) {
    out_.StartObject();
    write();
    out_.EndObject();
  }
  template <class Write>
  void object(std::string_view key, const Write& write) {
    dumper::put_key(&out_, key);
    object(write);
  }
  // write(value) puts an element, or none.
  template <class List, class Write>
  void list(std::string_view key, const List& values, const Write& write) {
    dumper::put_key(&out_, key);
    out_.StartArray();
    for (const auto& value : values) write(value);
    out_.EndArray();
  }
  void strings(std::string_view key, const std::vector<std::string>& texts) {
    list(key, texts, [this](const std::string& text) { element(text); });
  }
  void element(std::string_view text) {
    out_.String(text.data(), static_cast<dumper::json::SizeType>(text.size()));
  }

  // For what has no name above, and for objects that are not put at once.
  dumper::JsonWriter& writer() { return out_; }
  // All that was put since the last drop() or reset().
  std::string_view text() const { return {buffer_.GetString(), buffer_.GetSize()}; }
  void drop() { buffer_.Clear(); }  // the object goes on
  void reset() {                    // for the next object
    buffer_.Clear();
    out_.Reset(buffer_);
  }

 private:
  dumper::json::StringBuffer buffer_;
  dumper::JsonWriter out_;
};

}  // namespace lockstep::analysis
