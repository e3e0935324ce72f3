#include "dumper/run/process_note.h"

#include "base/json.h"

namespace lockstep::dumper {

void put_process(const ProcessIdentity& process, JsonFields* object) {
  object->string("host", process.host);
  object->string("boot_id", process.boot_id);
  object->number("pid", process.pid);
  object->number("process_start", process.start);
}

Result<ProcessIdentity> process_of_note(std::string_view json) {
  json::Document document;
  if (!parse_json(json, &document)) return Status::error("it is no JSON object");
  const uint64_t pid = uint_member(document, "pid");
  if (pid == 0 || pid > INT32_MAX) return Status::error("it names no process");
  return ProcessIdentity{text_member(document, "host"), text_member(document, "boot_id"),
                         static_cast<uint32_t>(pid), uint_member(document, "process_start")};
}

}  // namespace lockstep::dumper
