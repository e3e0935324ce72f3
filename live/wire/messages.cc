#include "live/wire/messages.h"

#include <algorithm>

#include "base/json.h"

namespace lockstep::live {
namespace {

constexpr uint64_t kLongestPatienceMs = 3'600'000;

}  // namespace

std::string question_json(const QuestionMessage& message) {
  JsonFields out;
  out.object([&] {
    out.string("word", message.question.word);
    out.string("arguments", message.question.arguments);
    out.string("asker", message.question.asker);
    out.string("run", message.run);
    out.number("patience_ms", message.patience_ms);
    out.number("most_bytes", message.most_bytes);
  });
  return std::string(out.text());
}

Result<QuestionMessage> parse_question(std::string_view json) {
  json::Document document;
  if (!parse_json(json, &document)) return Status::error("the question is no JSON object");
  QuestionMessage message;
  message.question.word = text_member(document, "word");
  message.question.arguments = text_member(document, "arguments");
  message.question.asker = text_member(document, "asker");
  message.run = text_member(document, "run");
  message.patience_ms =
      static_cast<uint32_t>(std::min(uint_member(document, "patience_ms"), kLongestPatienceMs));
  message.most_bytes = uint_member(document, "most_bytes");
  if (message.question.word.empty()) return Status::error("the question has no word");
  return message;
}

std::string end_json(const HostAnswer& answer) {
  JsonFields out;
  out.object([&] {
    out.number("oldest_data_ns", answer.oldest_data_ns);
    out.strings("failed", answer.failed);
  });
  return std::string(out.text());
}

Result<HostAnswer> parse_end(std::string_view json) {
  json::Document document;
  if (!parse_json(json, &document)) return Status::error("the answer's end is no JSON object");
  HostAnswer answer;
  answer.oldest_data_ns = int_member(document, "oldest_data_ns");
  answer.failed = texts_member(document, "failed");
  return answer;
}

std::string part_frame(const std::string& name, std::string_view bytes) {
  std::string frame(1, static_cast<char>(name.size()));
  frame += name;
  return frame.append(bytes);
}

std::optional<Part> parse_part(std::string_view frame) {
  if (frame.empty()) return std::nullopt;
  const size_t length = static_cast<uint8_t>(frame[0]);
  if (frame.size() < 1 + length) return std::nullopt;
  Part part{std::string(frame.substr(1, length)), frame.substr(1 + length)};
  if (!is_part_name(part.name)) return std::nullopt;
  return part;
}

}  // namespace lockstep::live
