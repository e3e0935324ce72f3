#include "hostload/sample/net_counters.h"

#include <gtest/gtest.h>

#include <map>

#include "hostload/sample/counter_changes.h"
#include "test/unit/hostload/sample/fake_root.h"

namespace lockstep::hostload {
namespace {

std::map<std::string, int64_t> all_of(const std::string& root) {
  std::map<std::string, int64_t> values;
  read_net_counters(root, [&](const LoadCounter& counter, int64_t value) {
    values[counter.device + "." + counter.name] = value;
  });
  return values;
}

TEST(NetCounters, AreThoseOfInterfacesLinksAndTcp) {
  FakeRoot root;
  root.put("/proc/net/dev",
           "Inter-|   Receive                                                |  Transmit\n"
           " face |bytes    packets errs drop fifo frame compressed multicast|bytes ...\n"
           "    lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
           "  eth0:100 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n");
  root.put("/proc/net/snmp",
           "Ip: A B\nIp: 1 2\n"
           "Tcp: RtoAlgorithm MaxConn OutSegs RetransSegs InErrs\nTcp: 1 -1 500 17 2\n");
  root.put("/sys/class/net/eth0/carrier_changes", "3\n");
  const auto values = all_of(root.path());
  EXPECT_EQ(values.at("eth0.rx_bytes"), 100);
  EXPECT_EQ(values.at("eth0.rx_errors"), 3);
  EXPECT_EQ(values.at("eth0.tx_errors"), 11);
  EXPECT_EQ(values.at("eth0.tx_carrier_errors"), 15);
  EXPECT_EQ(values.at("lo.tx_dropped"), 12);
  EXPECT_EQ(values.at("tcp.retransmitted_segments"), 17);
  EXPECT_EQ(values.at("tcp.out_segments"), 500);
  EXPECT_EQ(values.at("eth0.carrier_changes"), 3);
  EXPECT_EQ(values.count("eth0.compressed"), 0u);
}

TEST(NetCounters, OfHostileFilesLeadNowhere) {
  FakeRoot root;
  root.put("/proc/net/dev", "../../x: 1 2\n:\n:::::\neth0: a b c\n" + std::string(70'000, ':'));
  root.put("/proc/net/snmp", "Tcp:\nTcp:\nTcp: RetransSegs\nTcp:\n");
  root.put("/x/carrier_changes", "9\n");
  const auto values = all_of(root.path());
  EXPECT_EQ(values.count("../../x.carrier_changes"), 0u);
  EXPECT_EQ(values.count("tcp.retransmitted_segments"), 0u);
}

TEST(NetCounters, OfThisKernelHaveALoopback) { EXPECT_EQ(all_of("").count("lo.rx_bytes"), 1u); }

TEST(CounterChanges, GoIntoTheFileOnceAndWhenTheValueIsAnother) {
  CounterChanges changes;
  LoadChunk first, second;
  const LoadCounter errors{"eth0", 0, "rx_errors"}, bytes{"eth0", 0, "rx_bytes"};
  const auto add = [&](const LoadCounter& counter, int64_t raw_ns, int64_t value, LoadChunk* to) {
    changes.add(counter, raw_ns, value, &to->counters, &to->counter_values);
  };
  add(errors, 1, 0, &first);
  add(bytes, 1, 5, &first);
  add(errors, 2, 0, &first);
  add(bytes, 2, 6, &first);
  EXPECT_EQ(first.counters.size(), 2u);
  ASSERT_EQ(first.counter_values.size(), 3u);
  EXPECT_EQ(first.counter_values[2].counter, 1);
  EXPECT_EQ(first.counter_values[2].value, 6);
  changes.begin_chunk();
  add(errors, 3, 0, &second);
  add(bytes, 3, 7, &second);
  ASSERT_EQ(second.counters.size(), 1u);
  EXPECT_EQ(second.counters[0].name, "rx_bytes");
  EXPECT_EQ(second.counter_values[0].counter, 0);
}

TEST(CounterChanges, HaveAnEnd) {
  CounterChanges changes;
  LoadChunk chunk;
  for (size_t i = 0; i < 2 * CounterChanges::kMostCounters; ++i)
    changes.add({"x", 0, std::to_string(i)}, 1, 1, &chunk.counters, &chunk.counter_values);
  EXPECT_EQ(chunk.counters.size(), CounterChanges::kMostCounters);
}

}  // namespace
}  // namespace lockstep::hostload
