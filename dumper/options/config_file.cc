#include "dumper/options/config_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "base/json.h"
#include "base/system.h"
#include "dumper/options/option_names.h"

namespace lockstep::dumper {
namespace {

constexpr size_t kMaxFileBytes = 1 << 20;

// A relative path is meaningless without the folder it starts from.
std::string shown_path(const char* path) {
  char folder[PATH_MAX];
  if (path[0] == '/' || getcwd(folder, sizeof(folder)) == nullptr) return path;
  return std::string(path) + " (in " + folder + ")";
}

Result<std::string> read_config_text(const char* path) {
  Result<std::string> text = read_small_file(path, kMaxFileBytes);
  if (text.ok() && text.value().find('\0') != std::string::npos)
    return Status::error("it holds a zero byte, so it is not JSON");
  return text;
}

struct Member {
  std::string key, value, problem;
  size_t offset;
};

// Collects the members of one flat object. Anything nested is one problem of its key.
class MemberReader : public json::BaseReaderHandler<json::Utf8, MemberReader> {
 public:
  explicit MemberReader(const json::MemoryStream* stream) : stream_(stream) {}

  bool Null() { return take("", "null is no value; leave the key out"); }
  bool Bool(bool b) { return take(b ? "1" : "0", ""); }
  bool RawNumber(const char* text, json::SizeType size, bool) {
    return take({text, size}, "");
  }
  bool String(const char* text, json::SizeType size, bool) { return take({text, size}, ""); }
  bool Key(const char* text, json::SizeType size, bool) {
    if (depth_ == 1) key_.assign(text, size);
    return true;
  }
  bool StartObject() { return open(true); }
  bool StartArray() { return open(false); }
  bool EndObject(json::SizeType) { return close(); }
  bool EndArray(json::SizeType) { return close(); }

  bool root_is_object() const { return root_is_object_; }
  const std::vector<Member>& members() const { return members_; }

 private:
  bool take(std::string_view value, const char* problem) {
    if (depth_ == 1) members_.push_back({key_, std::string(value), problem, stream_->Tell()});
    return true;
  }
  bool open(bool object) {
    if (depth_ == 0) root_is_object_ = object;
    if (depth_ == 1) take("", "expected one value, not a list or an object");
    ++depth_;
    return true;
  }
  bool close() {
    --depth_;
    return true;
  }

  const json::MemoryStream* stream_;
  size_t depth_ = 0;
  bool root_is_object_ = false;
  std::string key_;
  std::vector<Member> members_;
};

std::string at_line(const std::string& text, size_t offset) {
  const auto here = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  return "line " + std::to_string(1 + std::count(text.begin(), here, '\n'));
}

std::string at_line_and_column(const std::string& text, size_t offset) {
  offset = std::min(offset, text.size());
  const size_t newline = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  const size_t column = newline == std::string::npos ? offset + 1 : offset - newline;
  return at_line(text, offset) + ", column " + std::to_string(column);
}

const OptionAlias* find_alias(const std::string& key) {
  for (const OptionAlias& alias : kOptionAliases) {
    if (*alias.key != '\0' && key == alias.key) return &alias;
  }
  return nullptr;
}

std::optional<Option> find_key(const std::string& key) {
  if (const std::optional<Option> option = find_option(key, NameStyle::Json)) return option;
  const OptionAlias* alias = find_alias(key);
  return alias == nullptr ? std::nullopt : std::optional<Option>(alias->option);
}

// Empty when the member was taken.
std::string apply(const Member& member, Config* config) {
  const std::optional<Option> option = find_key(member.key);
  if (!option)
    return member.key + " is not an option of lockstep" +
           nearest_name_hint(member.key, NameStyle::Json);
  if (environment_only(*option)) {
    return member.key + " belongs in the environment (" +
           option_name(*option, NameStyle::Environment) + "), not in a file";
  }
  if (!member.problem.empty()) return member.key + ": " + member.problem;
  const Status status = config->set(*option, member.value, Origin::File);
  if (status.ok()) return {};
  const char* used = config->text(*option);
  return member.key + " is '" + member.value + "': " + status.message() +
         (*used == '\0' ? "; it stays unset" : std::string("; using ") + used);
}

}  // namespace

void load_config_file(const char* path, Config* config, std::vector<Notice>* notices) {
  const std::string name = shown_path(path);
  auto warn = [&](const std::string& sentence) {
    notices->push_back({Severity::Warning, sentence});
  };
  const Result<std::string> file = read_config_text(path);
  if (!file.ok())
    return warn("cannot read the configuration " + name + ": " + file.message() +
                "; it is ignored");

  const std::string& text = file.value();
  // Not a StringStream: checking the encoding, it reads past the end of a text that ends inside a
  // character.
  json::MemoryStream stream(text.data(), text.size());
  MemberReader members(&stream);
  json::Reader reader;
  constexpr unsigned kFlags = json::kParseIterativeFlag |
                              json::kParseNumbersAsStringsFlag |
                              json::kParseValidateEncodingFlag;
  const json::ParseResult result = reader.Parse<kFlags>(stream, members);
  if (result.IsError()) {
    return warn(name + ", " + at_line_and_column(text, result.Offset()) + ": " +
                json::GetParseError_En(result.Code()) + " The whole file is ignored");
  }
  if (!members.root_is_object())
    return warn(name + ": expected one object of options; the file is ignored");
  for (const Member& member : members.members()) {
    const std::string problem = apply(member, config);
    const std::string place = name + ", " + at_line(text, member.offset) + ": ";
    if (!problem.empty()) warn(place + problem);
    const OptionAlias* alias = find_alias(member.key);
    if (problem.empty() && alias != nullptr && alias->says_so) {
      notices->push_back({Severity::Info, place + member.key + " is taken as " +
                                              option_name(alias->option, NameStyle::Json)});
    }
  }
}

}  // namespace lockstep::dumper
