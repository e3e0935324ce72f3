// What the exporters of JSON have in common: a buffer, RapidJSON's writer on it, and a member's
// name and value in one call. Included by .cc files only.
#pragma once

#define RAPIDJSON_HAS_STDSTRING 1
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <string>

namespace lockstep::analysis {

class JsonFields {
 protected:
  JsonFields() : out_(buffer_) {}

  void string(const char* key, const std::string& text) {
    out_.Key(key);
    out_.String(text);
  }
  void number(const char* key, int64_t value) {
    out_.Key(key);
    out_.Int64(value);
  }
  // A number as it stands in `text`.
  void raw_number(const char* key, const std::string& text) {
    out_.Key(key);
    out_.RawValue(text.data(), text.size(), rapidjson::kNumberType);
  }

  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> out_;
};

}  // namespace lockstep::analysis
