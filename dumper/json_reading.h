// RapidJSON, set up once: no exceptions, no recursion over hostile nesting, its own namespace so
// that a copy inside the host program can never clash. Included by .cc files only. The getters take
// what a file may hold and answer with a default when the member is absent or of another type.
#pragma once

#define RAPIDJSON_NAMESPACE lockstep_rapidjson
#define RAPIDJSON_NAMESPACE_BEGIN namespace lockstep_rapidjson {
#define RAPIDJSON_NAMESPACE_END }
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <string>
#include <string_view>

namespace lockstep::dumper {

namespace json = lockstep_rapidjson;
using JsonWriter = json::Writer<json::StringBuffer>;

inline bool parse_json(std::string_view text, json::Document* document) {
  document->Parse<json::kParseIterativeFlag>(text.data(), text.size());
  return !document->HasParseError() && document->IsObject();
}
inline const json::Value* member(const json::Value& object, const char* name) {
  if (!object.IsObject()) return nullptr;
  const auto found = object.FindMember(name);
  return found == object.MemberEnd() ? nullptr : &found->value;
}
inline uint64_t uint_member(const json::Value& object, const char* name) {
  const json::Value* value = member(object, name);
  return value != nullptr && value->IsUint64() ? value->GetUint64() : 0;
}
inline std::string text_of(const json::Value& value) {
  return value.IsString() ? std::string(value.GetString(), value.GetStringLength()) : std::string();
}
inline std::string text_member(const json::Value& object, const char* name) {
  const json::Value* value = member(object, name);
  return value == nullptr ? std::string() : text_of(*value);
}
inline void put_key(JsonWriter* writer, std::string_view name) {
  writer->Key(name.data(), static_cast<json::SizeType>(name.size()));
}
inline void put_text(JsonWriter* writer, std::string_view name, std::string_view text) {
  put_key(writer, name);
  writer->String(text.data(), static_cast<json::SizeType>(text.size()));
}
inline void put_uint(JsonWriter* writer, std::string_view name, uint64_t number) {
  put_key(writer, name);
  writer->Uint64(number);
}

}  // namespace lockstep::dumper
