// JSON, read and written: RapidJSON set up once, in the only header that includes it. Lack of memory
// is std::bad_alloc (left to itself, RapidJSON follows the null pointer); nothing else throws. Hostile
// nesting costs no recursion, and a namespace of its own keeps it apart from a copy in the host
// program. Included by .cc files only; any thread. The getters give a default when a member is absent
// or of another type; JsonFields writes a member's name and value in one call.
#pragma once

#define RAPIDJSON_NAMESPACE lockstep_rapidjson
#define RAPIDJSON_NAMESPACE_BEGIN namespace lockstep_rapidjson {
#define RAPIDJSON_NAMESPACE_END }
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/filereadstream.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lockstep {

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

using lockstep_rapidjson::BaseReaderHandler;
using lockstep_rapidjson::FileReadStream;
using lockstep_rapidjson::GetParseError_En;
using lockstep_rapidjson::kArrayType;
using lockstep_rapidjson::kParseErrorNumberTooBig;
using lockstep_rapidjson::kParseErrorTermination;
using lockstep_rapidjson::kParseIterativeFlag;
using lockstep_rapidjson::kParseNumbersAsStringsFlag;
using lockstep_rapidjson::kParseValidateEncodingFlag;
using lockstep_rapidjson::MemoryStream;
using lockstep_rapidjson::ParseResult;
using lockstep_rapidjson::SizeType;
using lockstep_rapidjson::Writer;
using Utf8 = lockstep_rapidjson::UTF8<>;
using Pool = lockstep_rapidjson::MemoryPoolAllocator<ThrowingAllocator>;
using StringBuffer = lockstep_rapidjson::GenericStringBuffer<Utf8, ThrowingAllocator>;
using Document = lockstep_rapidjson::GenericDocument<Utf8, Pool, ThrowingAllocator>;
using Value = lockstep_rapidjson::GenericValue<Utf8, Pool>;
using Reader = lockstep_rapidjson::GenericReader<Utf8, Utf8, ThrowingAllocator>;

}  // namespace json

using JsonWriter =
    json::Writer<json::StringBuffer, json::Utf8, json::Utf8, json::ThrowingAllocator>;

inline bool parse_json(std::string_view text, json::Document* document) {
  document->Parse<json::kParseIterativeFlag>(text.data(), text.size());
  return !document->HasParseError() && document->IsObject();
}

// As parse_json(), but any value may be the root, and numbers come out as exactly as a double can hold them. RapidJSON's
// own way to do that (kParseFullPrecisionFlag) reads beyond its table of powers of ten where a number has hundreds of
// digits, so the C library converts. Nothing returned: the document holds what was read.
struct JsonError {
  size_t byte;  // where parsing ended
  std::string what;
};
std::optional<JsonError> parse_exact_json(std::string_view text, json::Document* document);
std::optional<JsonError> parse_exact_json(std::FILE* file, json::Document* document);

// As parse_json(), of a list; where it is none, the document is an empty one.
inline bool parse_json_list(std::string_view text, json::Document* document) {
  document->Parse<json::kParseIterativeFlag>(text.data(), text.size());
  if (!document->HasParseError() && document->IsArray()) return true;
  document->SetArray();
  return false;
}

// Whether the text is a list of objects from its first byte to its last, without a blank around it: then
// what stands between the brackets can be put into another list.
bool is_list_of_objects(std::string_view text);

inline const json::Value* member(const json::Value& object, const char* name) {
  if (!object.IsObject()) return nullptr;
  const auto found = object.FindMember(name);
  return found == object.MemberEnd() ? nullptr : &found->value;
}
inline std::optional<uint64_t> known_uint(const json::Value& object, const char* name) {
  const json::Value* value = member(object, name);
  if (value == nullptr || !value->IsUint64()) return std::nullopt;
  return value->GetUint64();
}
inline uint64_t uint_member(const json::Value& object, const char* name) {
  return known_uint(object, name).value_or(0);
}
inline std::optional<int64_t> known_int(const json::Value& object, const char* name) {
  const json::Value* value = member(object, name);
  if (value == nullptr || !value->IsInt64()) return std::nullopt;
  return value->GetInt64();
}
inline int64_t int_member(const json::Value& object, const char* name, int64_t otherwise = 0) {
  return known_int(object, name).value_or(otherwise);
}
inline bool bool_member(const json::Value& object, const char* name, bool otherwise = false) {
  const json::Value* value = member(object, name);
  return value != nullptr && value->IsBool() ? value->GetBool() : otherwise;
}
// Null: it has no list of that name.
inline const json::Value* list_member(const json::Value& object, const char* name) {
  const json::Value* value = member(object, name);
  return value != nullptr && value->IsArray() ? value : nullptr;
}
// Those of a list; none where there is no list.
json::Value::ConstArray elements_of(const json::Value& object, const char* name);
inline std::string text_of(const json::Value& value) {
  return value.IsString() ? std::string(value.GetString(), value.GetStringLength()) : std::string();
}
inline std::string text_member(const json::Value& object, const char* name) {
  const json::Value* value = member(object, name);
  return value == nullptr ? std::string() : text_of(*value);
}
inline std::vector<std::string> texts_member(const json::Value& object, const char* name) {
  std::vector<std::string> texts;
  for (const json::Value& text : elements_of(object, name)) texts.push_back(text_of(text));
  return texts;
}
inline void put_key(JsonWriter* writer, std::string_view name) {
  writer->Key(name.data(), static_cast<json::SizeType>(name.size()));
}
inline void put_text(JsonWriter* writer, std::string_view name, std::string_view text) {
  put_key(writer, name);
  writer->String(text.data(), static_cast<json::SizeType>(text.size()));
}
inline void put_texts(JsonWriter* writer, std::string_view name,
                      const std::vector<std::string>& texts) {
  put_key(writer, name);
  writer->StartArray();
  for (const std::string& text : texts)
    writer->String(text.data(), static_cast<json::SizeType>(text.size()));
  writer->EndArray();
}
inline void put_uint(JsonWriter* writer, std::string_view name, uint64_t number) {
  put_key(writer, name);
  writer->Uint64(number);
}

class JsonFields {
 public:
  JsonFields() : out_(buffer_) {}

  void string(std::string_view key, std::string_view text) { put_text(&out_, key, text); }
  template <class Number>
  void number(std::string_view key, Number value) {
    static_assert(!std::is_same_v<Number, bool>);
    put_key(&out_, key);
    if constexpr (std::is_floating_point_v<Number>) {
      std::isfinite(value) ? out_.Double(value) : out_.Null();  // JSON has no other word for it
    } else if constexpr (std::is_signed_v<Number>) {
      out_.Int64(value);
    } else {
      out_.Uint64(value);
    }
  }
  void boolean(std::string_view key, bool value) {
    put_key(&out_, key);
    out_.Bool(value);
  }
  // A value that is JSON already.
  void raw(std::string_view key, std::string_view json) {
    put_key(&out_, key);
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
    put_key(&out_, key);
    object(write);
  }
  // write(value) puts an element, or none.
  template <class List, class Write>
  void list(std::string_view key, const List& values, const Write& write) {
    put_key(&out_, key);
    out_.StartArray();
    for (const auto& value : values) write(value);
    out_.EndArray();
  }
  void strings(std::string_view key, const std::vector<std::string>& texts) {
    list(key, texts, [this](const std::string& text) { element(text); });
  }
  void element(std::string_view text) {
    out_.String(text.data(), static_cast<json::SizeType>(text.size()));
  }

  // For what has no name above, and for objects that are not put at once.
  JsonWriter& writer() { return out_; }
  // All that was put since the last drop() or reset().
  std::string_view text() const { return {buffer_.GetString(), buffer_.GetSize()}; }
  void drop() { buffer_.Clear(); }  // the object goes on
  void reset() {                    // for the next object
    buffer_.Clear();
    out_.Reset(buffer_);
  }

 private:
  json::StringBuffer buffer_;
  JsonWriter out_;
};

}  // namespace lockstep
