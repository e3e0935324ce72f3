#include "live/agent/relay.h"

#include <map>

#include "live/asker/ask_all.h"
#include "live/asker/relay_groups.h"

namespace lockstep::live {
namespace {

// Parts of the group's hosts on their way to the asker; a host is known by its place in the group.
class PartsOn final : public PartTaker {
 public:
  explicit PartsOn(PartSink* parts) : parts_(parts) {}
  bool take(const std::string& host, const std::string& name, std::string_view bytes) override {
    return parts_->put(host + "/" + name, bytes);
  }

 private:
  PartSink* parts_;
};

}  // namespace

Result<HostAnswer> answer_relay(const LiveKey& key, const HostContext& context,
                                const Question& question, uint64_t most_bytes, PartSink* parts) {
  auto relay = parse_relay_arguments(question);
  if (!relay.ok()) return relay.status();
  Targets targets;
  targets.key = key;
  targets.hosts = std::move(relay.value().targets);
  // The same name may be there twice; the place is one host's.
  for (size_t i = 0; i < targets.hosts.size(); ++i) targets.hosts[i].host = std::to_string(i);
  PartsOn taker(parts);
  HostAnswer answer;
  answer.rows = relay_rows(
      ask_each(targets, relay.value().question, {context.deadline_ns, most_bytes, true}, &taker));
  return answer;
}

}  // namespace lockstep::live
