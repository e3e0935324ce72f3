#include "cli/live/run_parts.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <filesystem>
#include <set>
#include <string>
#include <thread>

#include "base/clock_ns.h"
#include "live/agent/asker_session.h"
#include "test/unit/live/loopback_socket.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

const auto kKey = *live::derive_live_key(clocksync::SecretKey{});

// A file of its own and the model of the clocks that all have; then n2 fails, or is cut off by its size.
Result<live::HostAnswer> answer(const std::string& host, live::PartSink* parts) {
  if (!parts->put(host + "/" + host + ".1.0.lks", "half") ||
      !parts->put("clock_model.json", "model of " + host))
    return Status::error("nobody takes the parts");
  if (host == "n2") return Status::error("it broke off");
  live::HostAnswer whole;
  whole.rows = "[]";
  return whole;
}

// An agent that answers one question.
class Agent {
 public:
  explicit Agent(std::string host) {
    target.host = host;
    target.way = live::Target::Way::Agent;
    target.agent.address = "127.0.0.1";
    target.agent.port = listener_.port();
    thread_ = std::thread([this, host] {
      live::SessionTerms terms;
      terms.host = host;
      terms.key = &kKey;
      terms.answer = [](const live::HostContext& context, const live::Question&,
                        live::PartSink* parts) { return answer(context.host, parts); };
      terms.greeting_ns = 60'000'000'000;  // however busy the machine is
      live::answer_asker(accept(listener_.fd(), nullptr, nullptr), terms);
    });
  }
  ~Agent() { thread_.join(); }

  live::Target target;

 private:
  const live::LoopbackSocket listener_;
  std::thread thread_;
};

// Of one whole answer and one that breaks off, the files that are kept.
TEST(RunParts, OfAHostThatBreaksOffNothingIsKept) {
  std::string folder = ::testing::TempDir() + "run_parts.XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  live::Answers answers;

  {
    Agent whole("n1"), broken("n2");
    live::Targets targets;
    targets.key = kKey;
    targets.hosts = {whole.target, broken.target};
    live::AskTerms terms;
    terms.deadline_ns = mono_now_ns() + 120'000'000'000;  // only bounds a hang
    take_run_parts(targets, {}, terms, folder, &answers);
  }

  std::set<std::string> kept;
  for (const auto& file : fs::directory_iterator(folder)) kept.insert(file.path().filename());
  kept.erase("clock_model.json");  // of whoever was first
  EXPECT_EQ(kept, std::set<std::string>{"n1.1.0.lks"});
  ASSERT_EQ(answers.failed.size(), 1u);
  EXPECT_EQ(answers.failed[0].host, "n2");
  EXPECT_NE(answers.failed[0].reason.find("it broke off"), std::string::npos);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace lockstep::cli
