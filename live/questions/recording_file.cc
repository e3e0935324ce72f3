#include "live/questions/recording_file.h"

#include "base/json.h"
#include "live/questions/question.h"

namespace lockstep::live {
namespace {

void put_file(const RecordingFile& file, JsonFields* out) {
  out->object([&] {
    out->string("name", file.name);
    out->number("bytes", file.is.bytes);
    out->number("checksum", file.is.checksum);
    out->number("from", file.from);
  });
}

Result<RecordingFile> file_of(const json::Value& object) {
  RecordingFile file;
  file.name = text_member(object, "name");
  if (!is_part_name(file.name))
    return Status::error("\"" + file.name + "\" is no name of a recording's file");
  file.is = {uint_member(object, "bytes"), uint_member(object, "checksum")};
  file.from = uint_member(object, "from");
  return file;
}

}  // namespace

std::string to_json(const RecordingFile& file) {
  JsonFields out;
  put_file(file, &out);
  return std::string(out.text());
}

std::string to_json(const std::vector<RecordingFile>& files) {
  JsonFields out;
  out.writer().StartArray();
  for (const RecordingFile& file : files) put_file(file, &out);
  out.writer().EndArray();
  return std::string(out.text());
}

Result<RecordingFile> parse_recording_file(const std::string& text) {
  json::Document document;
  if (!parse_json(text, &document)) return Status::error("a file's description is no JSON object");
  return file_of(document);
}

Result<std::vector<RecordingFile>> parse_recording_files(const std::string& text) {
  json::Document document;
  if (!parse_json_list(text, &document)) return Status::error("the list of files is no JSON array");
  std::vector<RecordingFile> files;
  for (const json::Value& object : document.GetArray()) {
    auto file = file_of(object);
    if (!file.ok()) return file.status();
    files.push_back(std::move(file.value()));
  }
  return files;
}

}  // namespace lockstep::live
