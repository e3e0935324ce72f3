#include "clocksync/rendezvous/rendezvous.h"
#include "clocksync/wire/key_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace lockstep::clocksync {
namespace {

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/lockstep-rendezvous-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { [[maybe_unused]] const int rc = std::system(("rm -rf " + path).c_str()); }
  std::string path;
};

HostEntry entry(const std::string& name, uint16_t port) {
  return {name, host_id_of(name), "127.0.0.1", port, "pod"};
}

std::vector<std::string> names(const Result<std::vector<HostEntry>>& hosts) {
  std::vector<std::string> found;
  if (!hosts.ok()) return {"error: " + hosts.message()};
  for (const HostEntry& host : hosts.value()) found.push_back(host.name);
  std::sort(found.begin(), found.end());
  return found;
}

TEST(RendezvousEntry, SurvivesTheWayThroughJson) {
  const HostEntry host = entry("gpu-7.cluster", 4711);
  EXPECT_TRUE(entry_from_json(entry_to_json(host)).value() == host);
}

TEST(RendezvousEntry, RefusesWhatCouldDoHarm) {
  for (const char* bad :
       {"", "[]", "{}", "{\"host\":\"../x\",\"address\":\"127.0.0.1\",\"port\":5}",
        "{\"host\":\"a/b\",\"address\":\"127.0.0.1\",\"port\":5}",
        "{\"host\":\"a\",\"address\":\"localhost\",\"port\":5}",
        "{\"host\":\"a\",\"address\":\"127.0.0.1\",\"port\":0}",
        "{\"host\":\"a\",\"address\":\"127.0.0.1\",\"port\":70000}",
        "{\"host\":\"a b\",\"address\":\"127.0.0.1\",\"port\":7}"}) {
    EXPECT_FALSE(entry_from_json(bad).ok()) << bad;
  }
}

TEST(RendezvousDirectory, ShowsEveryHostThatCameAndForgetsTheOneThatLeft) {
  const Folder folder;
  const auto a = directory_source(folder.path, entry("a", 1));
  const auto b = directory_source(folder.path, entry("b", 2));
  EXPECT_EQ(names(a->look()), std::vector<std::string>{"a"});
  EXPECT_EQ(names(b->look()), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(names(a->look()), (std::vector<std::string>{"a", "b"}));
  b->leave();
  const auto c = directory_source(folder.path, entry("c", 3));
  EXPECT_EQ(names(c->look()), (std::vector<std::string>{"a", "c"}));
}

TEST(RendezvousDirectory, IgnoresFilesThatAreNotEntries) {
  const Folder folder;
  std::ofstream(folder.path + "/x.json") << "garbage";
  std::ofstream(folder.path + "/y.json") << entry_to_json(entry("z", 5));  // under another's name
  const auto a = directory_source(folder.path, entry("a", 1));
  EXPECT_EQ(names(a->look()), std::vector<std::string>{"a"});
}

TEST(RendezvousTcp, GathersHostsThatShareTheKeyAndOnlyThose) {
  SecretKey key{}, wrong{};
  wrong[0] = 1;
  const auto port = static_cast<uint16_t>(20000 + getpid() % 20000);
  const auto server = tcp_source("127.0.0.1", port, entry("a", 1), key);
  ASSERT_EQ(names(server->look()), std::vector<std::string>{"a"});
  ASSERT_TRUE(server->serves());
  std::atomic<bool> done{false};
  std::thread serving([&] {
    while (!done) {
      (void)server->look();
      usleep(1000);
    }
  });
  const auto friendly = tcp_source("127.0.0.1", port, entry("b", 2), key);
  const auto stranger = tcp_source("127.0.0.1", port, entry("s", 3), wrong);
  EXPECT_EQ(names(friendly->look()), (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(stranger->look().ok());
  EXPECT_EQ(names(friendly->look()), (std::vector<std::string>{"a", "b"}));
  done = true;
  serving.join();
}

TEST(RendezvousList, GivesNamesToAddresses) {
  const auto source =
      list_source(parse_static_list("a=127.0.0.1:5,b=127.0.0.2,127.0.0.3:7").value(), 99,
                  entry("a", 1));
  const auto hosts = source->look();
  ASSERT_TRUE(hosts.ok()) << hosts.message();
  ASSERT_EQ(hosts.value().size(), 3u);
  EXPECT_EQ(hosts.value()[0].port, 1);  // our own entry says where we really are
  EXPECT_EQ(hosts.value()[1].address, "127.0.0.2");
  EXPECT_EQ(hosts.value()[1].port, 99);
  EXPECT_EQ(hosts.value()[2].name, "127.0.0.3");
  const ListedSelf self = find_self(parse_static_list("b=127.0.0.2,a=127.0.0.9:5").value(), "a");
  EXPECT_TRUE(self.found);
  EXPECT_EQ(self.address, "127.0.0.9");
  EXPECT_EQ(self.port, 5);
  EXPECT_FALSE(list_source(parse_static_list("b=127.0.0.2").value(), 0, entry("a", 1))->look().ok());
}

TEST(RendezvousPlan, FollowsTheChoiceOrTheEnvironment) {
  RendezvousFacts facts;
  facts.self = entry("a", 1);
  facts.directory = "/tmp";
  facts.port = 4000;
  const Environment slurm = [](const char* name) {
    return std::string(std::string(name) == "SLURM_JOB_NODELIST" ? "n[1-2]"
                       : std::string(name) == "MASTER_ADDR"      ? "n1"
                                                                 : "");
  };
  const Environment nothing = [](const char*) { return std::string(); };
  EXPECT_EQ(plan_rendezvous(facts, slurm).value().sources.size(), 3u);
  EXPECT_EQ(plan_rendezvous(facts, nothing).value().sources.size(), 1u);
  facts.choice = "none";
  EXPECT_EQ(plan_rendezvous(facts, slurm).value().sources.size(), 0u);
  facts.choice = "slurm";
  EXPECT_EQ(plan_rendezvous(facts, slurm).value().sources.size(), 1u);
  EXPECT_FALSE(plan_rendezvous(facts, nothing).ok());
  for (const char* bad : {"tcp:host", "somewhere", "tcp:"}) {
    facts.choice = bad;
    EXPECT_FALSE(plan_rendezvous(facts, nothing).ok()) << bad;
  }
}

TEST(KeyFile, IsMadeOnceAndReadByTheNextHost) {
  ASSERT_TRUE(crypto_ready());
  const Folder folder;
  const auto first = read_or_create_key(folder.path + "/key");
  const auto second = read_or_create_key(folder.path + "/key");
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first.value(), second.value());
  EXPECT_NE(first.value(), SecretKey{});
  chmod((folder.path + "/key").c_str(), 0640);
  EXPECT_FALSE(read_key_file(folder.path + "/key").ok());
}

}  // namespace
}  // namespace lockstep::clocksync
