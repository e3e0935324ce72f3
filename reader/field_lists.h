// The table of fields (record_fields.h) as the C interface shows it. Made once, at first use; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lockstep/event.h"
#include "lockstep/read.h"

namespace lockstep::reader {

// In the order of fields_of(tag), which has each field's place in the words.
const std::vector<lockstep_field>& field_list(Tag tag);

lockstep_call call_of(Tag tag);
// `number` is the kind's or the state's. Nothing when there is no such call.
std::optional<Tag> tag_of_call(lockstep_call call, int32_t number);

}  // namespace lockstep::reader
