#include "base/json.h"

#include <locale.h>

#include <cerrno>
#include <cmath>
#include <cstring>

namespace lockstep {
namespace {

// Independent of the locale that the host process has set; lives as long as the process.
locale_t c_locale() {
  static const locale_t made = newlocale(LC_ALL_MASK, "C", nullptr);
  return made;
}

// Passes what the reader finds on to a document, with texts of numbers made into numbers.
class ExactNumbers {
 public:
  explicit ExactNumbers(json::Document& document) : document_(document) {}

  // `text` ends with a zero byte. False, which ends the parsing: a double cannot hold it.
  bool RawNumber(const char* text, json::SizeType, bool) {
    if (std::strpbrk(text, ".eE") == nullptr) {
      errno = 0;
      if (*text != '-') {
        const uint64_t number = std::strtoull(text, nullptr, 10);
        if (errno == 0) return document_.Uint64(number);
      } else {
        const int64_t number = std::strtoll(text, nullptr, 10);
        if (errno == 0) return document_.Int64(number);
      }
    }
    const double number = strtod_l(text, nullptr, c_locale());
    return std::isfinite(number) && document_.Double(number);
  }
  bool Null() { return document_.Null(); }
  bool Bool(bool value) { return document_.Bool(value); }
  bool String(const char* text, json::SizeType length, bool copy) {
    return document_.String(text, length, copy);
  }
  bool Key(const char* text, json::SizeType length, bool copy) {
    return document_.Key(text, length, copy);
  }
  bool StartObject() { return document_.StartObject(); }
  bool EndObject(json::SizeType members) { return document_.EndObject(members); }
  bool StartArray() { return document_.StartArray(); }
  bool EndArray(json::SizeType elements) { return document_.EndArray(elements); }
  // The reader calls RawNumber() instead.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }

 private:
  json::Document& document_;
};

template <class Stream>
std::optional<JsonError> parse_exact(Stream* stream, json::Document* document) {
  json::ParseResult result;
  auto parse = [&](json::Document& into) {
    ExactNumbers handler(into);
    json::Reader reader;
    result = reader.Parse<json::kParseIterativeFlag | json::kParseNumbersAsStringsFlag>(*stream,
                                                                                        handler);
    return !result.IsError();
  };
  document->Populate(parse);
  if (!result.IsError()) return std::nullopt;
  const auto code =
      result.Code() == json::kParseErrorTermination ? json::kParseErrorNumberTooBig : result.Code();
  return JsonError{result.Offset(), json::GetParseError_En(code)};
}

// Knows after its first event, and after each that ends an element, whether all are objects of one list.
class ListOfObjects : public json::BaseReaderHandler<json::Utf8, ListOfObjects> {
 public:
  bool Default() { return depth_ >= 2; }  // a value: within an object only
  bool StartObject() { return depth_++ >= 1; }
  bool StartArray() { return depth_++ != 1; }
  bool EndObject(json::SizeType) { return leave(); }
  bool EndArray(json::SizeType) { return leave(); }

 private:
  bool leave() {
    --depth_;
    return true;
  }
  size_t depth_ = 0;
};

}  // namespace

bool is_list_of_objects(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return false;
  json::MemoryStream stream(text.data(), text.size());
  json::Reader reader;
  ListOfObjects list;
  return !reader.Parse<json::kParseIterativeFlag>(stream, list).IsError();
}

json::Value::ConstArray elements_of(const json::Value& object, const char* name) {
  static const json::Value kNone(json::kArrayType);
  const json::Value* list = list_member(object, name);
  return (list == nullptr ? kNone : *list).GetArray();
}

std::optional<JsonError> parse_exact_json(std::string_view text, json::Document* document) {
  json::MemoryStream stream(text.data(), text.size());
  return parse_exact(&stream, document);
}

std::optional<JsonError> parse_exact_json(std::FILE* file, json::Document* document) {
  std::vector<char> buffer(64 << 10);
  json::FileReadStream stream(file, buffer.data(), buffer.size());
  return parse_exact(&stream, document);
}

}  // namespace lockstep
