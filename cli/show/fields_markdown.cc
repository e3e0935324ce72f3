#include "cli/show/fields_markdown.h"

#include "lockstep/record_shape.h"

namespace lockstep::cli {
namespace {

constexpr const char* kHead = R"(| tag | record | word | type | bits | field | holds | note |
|---:|---|---:|---|---|---|---|---|
)";
constexpr const char* kStateHead = R"(
| tag | state | argument |
|---:|---|---|
)";

const char* holds(FieldType type) {
  switch (type) {
    case FieldType::Unsigned:
      return "number";
    case FieldType::Bytes:
      return "bytes";
    case FieldType::Signed:
      return "signed number";
    case FieldType::Flag:
      return "flag";
    case FieldType::Text:
      return "text";
    case FieldType::Address:
      return "address";
    case FieldType::Event:
      return "event id";
    case FieldType::GpuTime:
      return "GPU time, ns";
    case FieldType::Argument:
      return "number or none";
  }
  return "";
}

// A row for each field of the tag's records but the first `skip`; `tags` and `record` say whose they are.
std::string rows(const std::string& tags, const std::string& record, Tag tag, size_t skip = 0) {
  std::string text;
  for (const RecordField& field : fields_of(tag)) {
    if (skip != 0) {
      --skip;
      continue;
    }
    const auto type = static_cast<unsigned>(kRecordShapes[tag].types[field.word]);
    const int last = field.shift + field.bits - 1;
    text += "| " + tags + " | " + record + " | " + std::to_string(field.word) + " | " +
            kWordTypeNames[type] + " | " + std::to_string(field.shift) +
            (last != field.shift ? "-" + std::to_string(last) : "") + " | " + field.name + " | " +
            holds(field.type) + " | " + field.note + (*field.note != '\0' ? " |\n" : "|\n");
  }
  return text;
}

}  // namespace

std::string fields_markdown() {
  constexpr size_t kOfEveryEvent = std::size(EventRecord::kFields);
  constexpr size_t kOfEveryStart = std::size(StartRecord::kFields);
  std::string text = "Kinds, from 0:";
  for (unsigned kind = 0; kind < kKinds; ++kind)
    text += std::string(kind == 0 ? " " : ", ") + kKindNames[kind];
  text += ".\n\n";
  text += kHead;
  text += rows("0-63", "event", kStopTag);
  text += rows("0-15", "start", start_tag(Kind::Group), kOfEveryEvent);
  for (unsigned kind = 0; kind < kKinds; ++kind) {
    const Tag tag = start_tag(static_cast<Kind>(kind));
    text +=
        rows(std::to_string(tag), std::string("start of ") + kKindNames[kind], tag, kOfEveryStart);
  }
  text += rows("32-63", "state with an argument", state_tag(kSendWait), kOfEveryEvent);
  text += rows("64", "comm_init", kCommInitTag);
  text += rows("65", "comm_finalize", kCommFinalizeTag);
  text += rows("66", "comm_info", kCommInfoTag);
  constexpr const char* kMarks[] = {"step_begin", "step_end",      "range_push",
                                    "range_pop",  "range_start",   "range_end",
                                    "text",       "capture_start", "capture_stop"};
  for (Tag tag = kStepBeginTag; tag < kTags; ++tag)
    text += rows(std::to_string(tag), kMarks[tag - kStepBeginTag], tag);
  text += kStateHead;
  for (unsigned state = 0; state < kStates; ++state) {
    text += "| " + std::to_string(state_tag(state)) + " | " + kStateNames[state] + " | " +
            (state_has_argument(state) ? "yes" : "no") + " |\n";
  }
  return text;
}

}  // namespace lockstep::cli
