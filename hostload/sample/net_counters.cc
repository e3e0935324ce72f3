#include "hostload/sample/net_counters.h"

#include <set>

#include "base/text.h"
#include "hostload/sample/kernel_file.h"
#include "hostload/sample/kernel_text.h"

namespace lockstep::hostload {
namespace {

// The columns of /proc/net/dev behind the interface's name, in its order.
constexpr const char* kColumns[] = {
    "rx_bytes",       "rx_packets",      "rx_errors",         "rx_dropped",
    "rx_fifo_errors", "rx_frame_errors", "compressed",        "multicast",
    "tx_bytes",       "tx_packets",      "tx_errors",         "tx_dropped",
    "tx_fifo_errors", "collisions",      "tx_carrier_errors", "compressed"};
// Of no use to us.
constexpr std::string_view kLeftOut[] = {"compressed", "multicast"};

struct TcpCounter {
  std::string_view kernels;
  const char* ours;
};
constexpr TcpCounter kTcpCounters[] = {{"OutSegs", "out_segments"},
                                       {"RetransSegs", "retransmitted_segments"},
                                       {"InErrs", "in_errors"},
                                       {"EstabResets", "resets"}};

bool is_left_out(std::string_view column) {
  for (const std::string_view one : kLeftOut) {
    if (one == column) return true;
  }
  return false;
}

}  // namespace

// Two lines of headings, then "  eth0: 1 2 3"; a narrow kernel writes "eth0:1".
void read_interfaces(std::string_view text, const TakeCounter& take) {
  while (!text.empty()) {
    std::string_view line = take_line(&text);
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view head = line.substr(0, colon);
    LoadCounter counter;
    counter.device = std::string(take_word(&head));
    line.remove_prefix(colon + 1);
    for (const char* column : kColumns) {
      const int64_t value = take_number(&line);
      counter.name = column;
      if (value != kNotSampled && !is_left_out(column)) take(counter, value);
    }
  }
}

// "Tcp: NAME NAME ..." and "Tcp: NUMBER NUMBER ...", one below the other.
void read_tcp(std::string_view text, const TakeCounter& take) {
  std::string_view names;
  while (!text.empty()) {
    std::string_view line = take_line(&text);
    if (take_word(&line) != "Tcp:") continue;
    if (names.empty()) {
      names = line;
      continue;
    }
    while (!names.empty() && !line.empty()) {
      const std::string_view name = take_word(&names), number = take_word(&line);
      for (const TcpCounter& known : kTcpCounters) {
        if (known.kernels == name && leading_number(number) != kNotSampled)
          take({"tcp", 0, known.ours}, leading_number(number));
      }
    }
    return;
  }
}

void read_net_counters(const std::string& root, const TakeCounter& take) {
  std::set<std::string> devices;
  read_interfaces(read_kernel_file(root + "/proc/net/dev"),
                  [&](const LoadCounter& counter, int64_t value) {
                    devices.insert(counter.device);
                    take(counter, value);
                  });
  read_tcp(read_kernel_file(root + "/proc/net/snmp"), take);
  for (const std::string& device : devices) {
    if (device.find('/') != std::string::npos) continue;
    const int64_t changes =
        leading_number(read_kernel_file(root + "/sys/class/net/" + device + "/carrier_changes"));
    if (changes != kNotSampled) take({device, 0, "carrier_changes"}, changes);
  }
}

}  // namespace lockstep::hostload
