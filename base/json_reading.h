// RapidJSON, set up once: no exceptions but std::bad_alloc (by itself it would follow the null
// pointer), no recursion over hostile nesting, its own namespace so that a copy inside the host
// program can never clash. Included by .cc files only. The getters take
// what a file may hold and answer with a default when the member is absent or of another type.
#pragma once

#define RAPIDJSON_NAMESPACE lockstep_rapidjson
#define RAPIDJSON_NAMESPACE_BEGIN namespace lockstep_rapidjson {
#define RAPIDJSON_NAMESPACE_END }
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

namespace lockstep::dumper {

namespace json {

class ThrowingAllocator {
 public:
  static constexpr bool kNeedFree = true;
  static void* Malloc(size_t size) { return size == 0 ? nullptr : checked(std::malloc(size)); }
  static void* Realloc(void* memory, size_t, size_t size) {
    if (size != 0) return checked(std::realloc(memory, size));
    std::free(memory);
    return nullptr;
  }
  static void Free(void* memory) { std::free(memory); }

 private:
  static void* checked(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
};

using lockstep_rapidjson::kParseIterativeFlag;
using lockstep_rapidjson::SizeType;
using lockstep_rapidjson::Writer;
using Utf8 = lockstep_rapidjson::UTF8<>;
using Pool = lockstep_rapidjson::MemoryPoolAllocator<ThrowingAllocator>;
using StringBuffer = lockstep_rapidjson::GenericStringBuffer<Utf8, ThrowingAllocator>;
using Document = lockstep_rapidjson::GenericDocument<Utf8, Pool, ThrowingAllocator>;
using Value = lockstep_rapidjson::GenericValue<Utf8, Pool>;

}  // namespace json

using JsonWriter =
    json::Writer<json::StringBuffer, json::Utf8, json::Utf8, json::ThrowingAllocator>;

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
