#include "live/places/standing.h"

#include "base/json.h"

namespace lockstep::live {
namespace {

// "AllReduce #20 on world"
std::string name_of(const json::Value& mark, const std::string& communicator) {
  std::string name = text_member(mark, "func");
  const json::Value* ordinal = member(mark, "ordinal");
  if (ordinal != nullptr && ordinal->IsUint64())
    name += " #" + std::to_string(ordinal->GetUint64());
  return communicator.empty() ? name : name + " on " + communicator;
}

bool is_known(const json::Value* mark) { return mark != nullptr && mark->IsObject(); }

// An operation of one of the communicators, and how long ago it was called.
struct Found {
  std::string name;
  uint64_t age_ns = 0;
  const json::Value* mark = nullptr;
};

void take_older(const json::Value* mark, const std::string& communicator, Found* oldest) {
  if (!is_known(mark)) return;
  const uint64_t age_ns = uint_member(*mark, "age_ns");
  if (oldest->mark != nullptr && age_ns <= oldest->age_ns) return;
  *oldest = {name_of(*mark, communicator), age_ns, mark};
}

void take_younger(const json::Value* mark, const std::string& communicator, Found* youngest) {
  if (!is_known(mark)) return;
  const uint64_t age_ns = uint_member(*mark, "age_ns");
  if (youngest->mark != nullptr && age_ns >= youngest->age_ns) return;
  *youngest = {name_of(*mark, communicator), age_ns, mark};
}

const char* stage_of(const json::Value& waiting) {
  if (uint_member(waiting, "open_network") != 0) return ", its data is on the way";
  const json::Value* started = member(waiting, "started_age_ns");
  return started != nullptr && started->IsUint64() ? ", its kernel has begun" : "";
}

}  // namespace

Standing standing_of(std::string_view progress) {
  Standing standing;
  json::Document document;
  if (!parse_json(progress, &document)) return standing;
  const json::Value* comms = member(document, "communicators");
  if (comms == nullptr || !comms->IsArray()) return standing;
  uint64_t most_ranks = 0;
  Found waiting, issued;
  for (const json::Value& comm : comms->GetArray()) {
    const std::string name = text_member(comm, "name");
    const uint64_t ranks = uint_member(comm, "ranks");
    const json::Value* rank = member(comm, "rank");
    if (rank != nullptr && rank->IsInt64() && ranks > most_ranks) {
      most_ranks = ranks;
      standing.rank = rank->GetInt64();
    }
    take_older(member(comm, "waiting"), name, &waiting);
    take_younger(member(comm, "issued"), name, &issued);
  }
  if (waiting.mark != nullptr) {
    standing.operation = "in " + waiting.name + stage_of(*waiting.mark);
    standing.called_ago_ns = static_cast<int64_t>(waiting.age_ns);
  } else if (issued.mark != nullptr) {
    standing.operation = "in no operation; the last call was " + issued.name;
    standing.called_ago_ns = static_cast<int64_t>(issued.age_ns);
  }
  return standing;
}

}  // namespace lockstep::live
