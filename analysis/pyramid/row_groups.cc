#include "analysis/pyramid/row_groups.h"

#include "analysis/tables/labels.h"

namespace lockstep::analysis {
namespace {

constexpr CommRole kDimensions[] = {CommRole::Tensor, CommRole::Pipeline, CommRole::Data,
                                    CommRole::Expert, CommRole::Context};

const char* name_of(CommRole role) { return kCommRoleNames[static_cast<size_t>(role)]; }

}  // namespace

Dimensions dimensions_of(const RunTables& run) {
  Dimensions dimensions;
  for (uint32_t c = 0; c < run.communicators.size(); ++c) {
    for (const CommRole role : kDimensions) {
      if (run.communicators[c].role == role)
        dimensions[name_of(role)].insert(communicator_label(run, c));
    }
  }
  return dimensions;
}

std::vector<std::string> all_row_groups() {
  std::vector<std::string> groups = {"rank", "host", "communicator"};
  for (const CommRole role : kDimensions) groups.emplace_back(name_of(role));
  return groups;
}

std::vector<std::string> row_groups(const std::vector<LaneFacts>& lanes,
                                    const Dimensions& dimensions) {
  std::set<std::string> hosts, communicators;
  for (const LaneFacts& lane : lanes) {
    hosts.insert(lane.host);
    communicators.insert(lane.communicators.begin(), lane.communicators.end());
  }
  std::vector<std::string> groups;
  for (const std::string& group : all_row_groups()) {
    const auto dimension = dimensions.find(group);
    const size_t rows = group == "rank"                 ? lanes.size()
                        : group == "host"               ? hosts.size()
                        : group == "communicator"       ? communicators.size()
                        : dimension == dimensions.end() ? 0
                                                        : dimension->second.size();
    if (group == "rank" || rows > 1) groups.push_back(group);
  }
  return groups;
}

bool set_row_group(const std::string& group, const Dimensions& dimensions, TileRequest* request) {
  request->by = group == "rank"   ? TileRows::Ranks
                : group == "host" ? TileRows::Hosts
                                  : TileRows::Communicators;
  if (request->by != TileRows::Communicators || group == "communicator") return true;
  const auto dimension = dimensions.find(group);
  if (dimension == dimensions.end()) return false;
  request->communicators = dimension->second;
  return true;
}

}  // namespace lockstep::analysis
