#include "reader/field_lists.h"

#include <array>

#include "lockstep/record_fields.h"

namespace lockstep::reader {
namespace {

lockstep_field shown(const RecordField& field) {
  lockstep_field out = {field.name, "", field.note, LOCKSTEP_TYPE_UNSIGNED};
  switch (field.type) {
    case FieldType::Unsigned:
      break;
    case FieldType::Bytes:
      out.unit = "bytes";
      break;
    case FieldType::Signed:
      out.type = LOCKSTEP_TYPE_SIGNED;
      break;
    case FieldType::Flag:
      out.type = LOCKSTEP_TYPE_FLAG;
      break;
    case FieldType::Text:
      out.type = LOCKSTEP_TYPE_TEXT;
      break;
    case FieldType::Address:
      out.type = LOCKSTEP_TYPE_ADDRESS;
      break;
    case FieldType::Event:
      out.type = LOCKSTEP_TYPE_EVENT;
      break;
    case FieldType::GpuTime:
      out.unit = "ns";
      out.type = LOCKSTEP_TYPE_GPU_TIME;
      break;
    case FieldType::Argument:
      out.type = LOCKSTEP_TYPE_ARGUMENT;
      break;
  }
  return out;
}

std::array<std::vector<lockstep_field>, kTags> make_lists() {
  std::array<std::vector<lockstep_field>, kTags> lists;
  for (unsigned tag = 0; tag < kTags; ++tag) {
    for (const RecordField& field : fields_of(static_cast<Tag>(tag)))
      lists[tag].push_back(shown(field));
  }
  return lists;
}

}  // namespace

const std::vector<lockstep_field>& field_list(Tag tag) {
  static const auto kLists = make_lists();
  return kLists[tag];
}

lockstep_call call_of(Tag tag) {
  if (is_start(tag)) return LOCKSTEP_CALL_START;
  if (is_stop(tag)) return LOCKSTEP_CALL_STOP;
  if (is_state(tag)) return LOCKSTEP_CALL_STATE;
  if (is_mark(tag))
    return static_cast<lockstep_call>(LOCKSTEP_CALL_STEP_BEGIN + (tag - kStepBeginTag));
  if (tag == kCommInitTag) return LOCKSTEP_CALL_COMM_INIT;
  return tag == kCommInfoTag ? LOCKSTEP_CALL_COMM_INFO : LOCKSTEP_CALL_COMM_FINALIZE;
}

std::optional<Tag> tag_of_call(lockstep_call call, int32_t number) {
  const bool is_kind = number >= 0 && number < static_cast<int32_t>(kKinds);
  const bool is_state = number >= 0 && number < static_cast<int32_t>(kStates);
  switch (call) {
    case LOCKSTEP_CALL_START:
      return is_kind ? std::optional(start_tag(static_cast<Kind>(number))) : std::nullopt;
    case LOCKSTEP_CALL_STOP:
      return is_kind ? std::optional(stop_tag(static_cast<Kind>(number))) : std::nullopt;
    case LOCKSTEP_CALL_STATE:
      return is_state ? std::optional(state_tag(static_cast<unsigned>(number))) : std::nullopt;
    case LOCKSTEP_CALL_COMM_INIT:
      return kCommInitTag;
    case LOCKSTEP_CALL_COMM_FINALIZE:
      return kCommFinalizeTag;
    case LOCKSTEP_CALL_COMM_INFO:
      return kCommInfoTag;
    default:
      break;
  }
  if (call >= LOCKSTEP_CALL_STEP_BEGIN && call <= LOCKSTEP_CALL_CAPTURE_STOP)
    return static_cast<Tag>(kStepBeginTag + (call - LOCKSTEP_CALL_STEP_BEGIN));
  return std::nullopt;
}

}  // namespace lockstep::reader
