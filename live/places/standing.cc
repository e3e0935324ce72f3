#include "live/places/standing.h"

#include "base/json.h"

namespace lockstep::live {
namespace {

// "AllReduce #20 on world"
std::string name_of(const json::Value& mark, const std::string& communicator) {
  std::string name = text_member(mark, "func");
  if (const auto ordinal = known_uint(mark, "ordinal")) name += " #" + std::to_string(*ordinal);
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
  return known_uint(waiting, "started_age_ns") ? ", its kernel has begun" : "";
}

}  // namespace

Standing standing_of(std::string_view progress) {
  Standing standing;
  json::Document document;
  if (!parse_json(progress, &document)) return standing;
  uint64_t most_ranks = 0;
  Found waiting, issued;
  for (const json::Value& comm : elements_of(document, "communicators")) {
    const std::string name = text_member(comm, "name");
    const uint64_t ranks = uint_member(comm, "ranks");
    const auto rank = known_int(comm, "rank");
    if (rank && ranks > most_ranks) {
      most_ranks = ranks;
      standing.rank = *rank;
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
