#include "live/asker/relay_groups.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/json.h"
#include "base/text.h"

namespace lockstep::live {
namespace {

constexpr size_t kMostInGroup = 1024;

}  // namespace

std::vector<std::vector<size_t>> group_targets(const std::vector<Target>& targets,
                                               size_t most_flat) {
  std::vector<std::vector<size_t>> groups;
  std::vector<size_t> by_tcp;
  for (size_t i = 0; i < targets.size(); ++i) {
    const bool tcp = targets[i].way == Target::Way::Agent && targets[i].agent.socket.empty();
    if (tcp) {
      by_tcp.push_back(i);
    } else {
      groups.push_back({i});
    }
  }
  const bool flat = by_tcp.size() <= most_flat;
  const auto root = static_cast<size_t>(std::ceil(std::sqrt(static_cast<double>(by_tcp.size()))));
  const size_t in_group = flat ? 1 : std::min(root, kMostInGroup);
  for (size_t at = 0; at < by_tcp.size(); at += in_group) {
    const size_t end = std::min(at + in_group, by_tcp.size());
    groups.emplace_back(by_tcp.begin() + static_cast<std::ptrdiff_t>(at),
                        by_tcp.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return groups;
}

std::string relay_arguments(const RelayQuestion& relay) {
  JsonFields out;
  out.object([&] {
    out.string("word", relay.question.word);
    out.string("arguments", relay.question.arguments);
    out.list("targets", relay.targets, [&](const Target& target) {
      out.object([&] {
        out.string("host", target.host);
        out.string("address", target.agent.address);
        out.number("port", target.agent.port);
      });
    });
  });
  return std::string(out.text());
}

Result<RelayQuestion> parse_relay_arguments(const Question& question) {
  json::Document document;
  const bool read = parse_json(question.arguments, &document);
  const json::Value* targets = read ? list_member(document, "targets") : nullptr;
  if (targets == nullptr || targets->Empty() || targets->Size() > kMostInGroup)
    return Status::error("a relay names the agents to ask, 1,024 at most");
  RelayQuestion relay;
  relay.question = {text_member(document, "word"), text_member(document, "arguments"),
                    question.asker};
  for (const json::Value& one : targets->GetArray()) {
    Target target;
    target.host = text_member(one, "host");
    target.way = Target::Way::Agent;
    target.agent.address = text_member(one, "address");
    const uint64_t port = uint_member(one, "port");
    target.agent.port = static_cast<uint16_t>(port);
    if (target.agent.address.empty() || port == 0 || port > UINT16_MAX)
      return Status::error("an agent to ask has no address");
    relay.targets.push_back(std::move(target));
  }
  return relay;
}

std::string relay_rows(const GroupAnswers& answers) {
  JsonFields out;
  out.writer().StartArray();
  for (const Result<HostAnswer>& answer : answers) {
    out.object([&] {
      if (!answer.ok()) return out.string("reason", answer.message());
      out.raw("rows", answer.value().rows);
      out.number("oldest_data_ns", answer.value().oldest_data_ns);
      out.strings("failed", answer.value().failed);
    });
  }
  out.writer().EndArray();
  return std::string(out.text());
}

Result<GroupAnswers> parse_relay_rows(std::string_view rows, size_t hosts) {
  json::Document document;
  if (!parse_json_list(rows, &document) || document.Size() != hosts)
    return Status::error("its answer is not that of a group of " + std::to_string(hosts));
  GroupAnswers answers;
  for (const json::Value& one : document.GetArray()) {
    const json::Value* list = list_member(one, "rows");
    if (list == nullptr) {
      const std::string reason = text_member(one, "reason");
      answers.emplace_back(Status::error(reason.empty() ? "no answer" : reason));
      continue;
    }
    HostAnswer answer;
    JsonFields text;
    list->Accept(text.writer());
    answer.rows = text.text();
    if (!is_list_of_objects(answer.rows)) {
      answers.emplace_back(Status::error("its rows are no list of JSON objects"));
      continue;
    }
    answer.oldest_data_ns = int_member(one, "oldest_data_ns");
    answer.failed = texts_member(one, "failed");
    answers.emplace_back(std::move(answer));
  }
  return answers;
}

std::optional<RelayPart> parse_relay_part(const std::string& name, size_t hosts) {
  const size_t slash = name.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto index = parse_number<size_t>(std::string_view(name).substr(0, slash));
  if (!index || *index >= hosts) return std::nullopt;
  return RelayPart{*index, name.substr(slash + 1)};
}

}  // namespace lockstep::live
