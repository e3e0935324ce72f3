#include "live/agent/asker_session.h"

#include <unistd.h>

#include <algorithm>
#include <exception>

#include "base/clock_ns.h"
#include "live/agent/relay.h"
#include "live/asker/relay_groups.h"
#include "live/wire/channel.h"
#include "live/wire/messages.h"

namespace lockstep::live {
namespace {

// Parts on their way to the asker, in frames.
class PartsToAsker final : public PartSink {
 public:
  PartsToAsker(Channel* channel, uint64_t most_bytes) : channel_(channel), left_(most_bytes) {}

  bool put(const std::string& name, std::string_view bytes) override {
    if (!is_part_name(name) || bytes.size() > left_) return false;
    left_ -= bytes.size();
    do {
      const std::string_view now = bytes.substr(0, kMostFrameBytes - kMostPartOverhead);
      bytes.remove_prefix(now.size());
      if (!channel_->send(FrameType::Part, part_frame(name, now)).ok()) return false;
    } while (!bytes.empty());
    return true;
  }

 private:
  Channel* channel_;
  uint64_t left_;
};

// The run asked about, where it is one of ours under the same path; else all of ours.
std::vector<std::string> places_asked(const SessionTerms& terms, const std::string& run) {
  const auto& ours = terms.runs;
  const bool is_ours = std::find(ours.begin(), ours.end(), run) != ours.end();
  std::vector<std::string> places = is_ours ? std::vector<std::string>{run} : ours;
  places.insert(places.end(), terms.records.begin(), terms.records.end());
  return places;
}

void send_answer(Channel* channel, const HostAnswer& answer) {
  std::string_view rows = answer.rows;
  while (!rows.empty()) {
    const std::string_view now = rows.substr(0, kMostFrameBytes);
    rows.remove_prefix(now.size());
    if (!channel->send(FrameType::Rows, now).ok()) return;
  }
  std::string end = end_json(answer);
  if (end.size() > kMostFrameBytes)  // thousands of processes, all for the same reason
    end = end_json({"[]",
                    answer.oldest_data_ns,
                    {std::to_string(answer.failed.size()) + " processes did not answer"}});
  static_cast<void>(channel->send(FrameType::End, end, true));
}

void refuse(Channel* channel, const std::string& sentence) {
  static_cast<void>(channel->send(FrameType::Refusal, sentence.substr(0, kMostFrameBytes), true));
}

// A place among those that are answered, while this lives.
class Place {
 public:
  Place(Admission* admission, int64_t deadline_ns)
      : admission_(admission), taken_(admission == nullptr || admission->take_place(deadline_ns)) {}
  ~Place() {
    if (admission_ != nullptr && taken_) admission_->give_place();
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  bool taken() const { return taken_; }

 private:
  Admission* admission_;
  bool taken_;
};

void hear_and_answer(int fd, Channel* channel, const SessionTerms& terms) {
  if (terms.key != nullptr && !channel->greet_as_agent(*terms.key).ok()) return;
  const Result<ChannelFrame> frame = channel->receive();
  if (!frame.ok() || frame.value().type != FrameType::Question) return;
  if (terms.admission != nullptr) terms.admission->prove(fd);
  const Result<QuestionMessage> message = parse_question(frame.value().bytes);
  if (!message.ok()) return refuse(channel, message.message());
  const int64_t patience_ns = int64_t{message.value().patience_ms} * 1'000'000;
  const int64_t now = mono_now_ns();
  channel->set_deadline(now + patience_ns);
  const Place place(terms.admission, now + patience_ns / 10 * 8);
  if (!place.taken())
    return refuse(channel, "the agent answers " + std::to_string(kMostAskers) +
                               " others, none of which had its answer in time");
  PartsToAsker parts(channel, message.value().most_bytes);
  // What a process does not say in time is left out early enough for the rest to arrive.
  const HostContext context{terms.host, places_asked(terms, message.value().run),
                            now + patience_ns / 10 * 8, static_cast<uint32_t>(getpid())};
  const Question& question = message.value().question;
  const bool relays = question.word == kRelayWord && terms.key != nullptr;
  const Result<HostAnswer> answer =
      relays ? answer_relay(*terms.key, context, question, message.value().most_bytes, &parts)
             : terms.answer(context, question, &parts);
  if (!answer.ok()) return refuse(channel, answer.message());
  send_answer(channel, answer.value());
}

}  // namespace

void answer_asker(int fd, const SessionTerms& terms) {
  Channel channel(fd, mono_now_ns() + terms.greeting_ns);
  try {
    hear_and_answer(fd, &channel, terms);
  } catch (const std::exception&) {  // out of memory: this asker goes without an answer
  }
  if (terms.admission != nullptr) terms.admission->leave(fd);
}

}  // namespace lockstep::live
