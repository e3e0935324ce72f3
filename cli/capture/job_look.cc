#include "cli/capture/job_look.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/json.h"

namespace lockstep::cli {
namespace {

int64_t number_in(const json::Value& object, const char* name, int64_t otherwise) {
  const json::Value* value = member(object, name);
  return value != nullptr && value->IsInt64() ? value->GetInt64() : otherwise;
}

MemberLook member_in(const json::Value& comm) {
  MemberLook look;
  look.comm = text_member(comm, "id");
  look.name = text_member(comm, "name");
  look.rank = number_in(comm, "rank", -1);
  look.ranks = number_in(comm, "ranks", 0);
  const json::Value* position = member(comm, "position");
  if (position != nullptr && position->IsUint64()) look.position = position->GetUint64();
  return look;
}

ProcessLook process_in(const json::Value& row) {
  ProcessLook look;
  look.host = text_member(row, "host");
  look.pid = static_cast<uint32_t>(uint_member(row, "pid"));
  const json::Value* answered = member(row, "answered");
  look.answered = answered != nullptr && answered->IsBool() && answered->GetBool();
  look.events = text_member(row, "events");
  const json::Value* progress = member(row, "progress");
  const json::Value* comms = progress == nullptr ? nullptr : member(*progress, "communicators");
  if (comms == nullptr || !comms->IsArray()) return look;
  for (const json::Value& comm : comms->GetArray()) look.members.push_back(member_in(comm));
  return look;
}

}  // namespace

std::vector<ProcessLook> job_look(const std::string& rows) {
  json::Document document;
  document.Parse<json::kParseIterativeFlag>(rows.data(), rows.size());
  std::vector<ProcessLook> processes;
  if (document.HasParseError() || !document.IsArray()) return processes;
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
