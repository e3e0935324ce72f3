#include "cli/capture/job_look.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/json.h"

namespace lockstep::cli {
namespace {

MemberLook member_in(const json::Value& comm) {
  MemberLook look;
  look.comm = text_member(comm, "id");
  look.name = text_member(comm, "name");
  look.rank = int_member(comm, "rank", -1);
  look.ranks = int_member(comm, "ranks");
  look.position = known_uint(comm, "position");
  return look;
}

ProcessLook process_in(const json::Value& row) {
  ProcessLook look;
  look.host = text_member(row, "host");
  look.pid = static_cast<uint32_t>(uint_member(row, "pid"));
  look.answered = bool_member(row, "answered");
  look.events = text_member(row, "events");
  const json::Value* progress = member(row, "progress");
  if (progress == nullptr) return look;
  for (const json::Value& comm : elements_of(*progress, "communicators"))
    look.members.push_back(member_in(comm));
  return look;
}

}  // namespace

std::vector<ProcessLook> job_look(const std::string& rows) {
  json::Document document;
  std::vector<ProcessLook> processes;
  parse_json_list(rows, &document);
  for (const json::Value& row : document.GetArray()) processes.push_back(process_in(row));
  return processes;
}

CommChoice::CommChoice(const std::vector<ProcessLook>& processes) {
  struct Size {
    int64_t ranks = 0;
    bool is_world = false;
    uint64_t position = 0;
  };
  std::map<std::string, Size> sizes;
  for (const ProcessLook& process : processes) {
    for (const MemberLook& member : process.members) {
      Size& size = sizes[member.comm];
      size.ranks = std::max(size.ranks, member.ranks);
      size.is_world = size.is_world || member.name == "world";
      size.position = std::max(size.position, member.position.value_or(0));
    }
  }
  for (const auto& [comm, size] : sizes) by_size_.push_back(comm);
  const auto key = [&](const std::string& comm) {
    const Size& size = sizes.at(comm);
    return std::make_tuple(size.ranks, size.is_world, size.position);
  };
  std::stable_sort(by_size_.begin(), by_size_.end(),
                   [&](const std::string& a, const std::string& b) { return key(a) > key(b); });
}

std::string CommChoice::of(const ProcessLook& process) const {
  for (const std::string& comm : by_size_) {
    for (const MemberLook& member : process.members) {
      if (member.comm == comm) return comm;
    }
  }
  return "";
}

std::vector<const MemberLook*> CommChoice::members(const ProcessLook& process) const {
  const std::string comm = of(process);
  std::vector<const MemberLook*> members;
  for (const MemberLook& member : process.members) {
    if (member.comm == comm) members.push_back(&member);
  }
  return members;
}

bool CaptureScope::has(const ProcessLook& process, const CommChoice& choice) const {
  if (!hosts.empty() && hosts.count(process.host) == 0) return false;
  if (ranks.empty()) return true;
  const auto members = choice.members(process);
  return std::any_of(members.begin(), members.end(),
                     [&](const MemberLook* member) { return is_within(ranks, member->rank); });
}

}  // namespace lockstep::cli
