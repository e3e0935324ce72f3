// lockstep-relay: a bad network between two probers, and an attacker on the path. It takes what A
// sends to one port and passes it to B from another, and back, with delay, jitter, loss,
// duplication; with --attack it also sends B that many packets a second made from the last genuine
// one: replayed, cut, lengthened, of another version, with a wrong code, with a changed field, and
// noise. Loopback addresses only; ends after --seconds. With --a-interface and --b-interface it takes
// whole frames from two network interfaces instead, and so is a bad network for all that two hosts say.
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <queue>
#include <random>
#include <string>
#include <vector>

namespace {

struct Options {
  uint16_t port_for_a = 0, port_for_b = 0, a_port = 0, b_port = 0;
  const char *a_interface = nullptr, *b_interface = nullptr;
  double delay_ab_us = 0, delay_ba_us = 0, jitter_us = 0, loss = 0, duplicate = 0;
  double attack_per_s = 0, attack_after_s = 3, attack_for_s = 10, seconds = 10;
};

struct Held {
  int64_t due_ns;
  bool to_b;
  std::vector<uint8_t> bytes;
  bool operator<(const Held& other) const { return due_ns > other.due_ns; }
};

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

sockaddr_in loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int open_port(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    std::perror("lockstep-relay: bind");
    std::exit(3);
  }
  return fd;
}

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "lockstep-relay: %s: ", what);
  std::perror("");
  std::exit(3);
}

// Frames come and go with a header that says what the network card would still have done to them:
// checksums, and cutting what is longer than a frame.
int open_interface(const char* name) {
  const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, htons(ETH_P_ALL));
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(if_nametoindex(name));
  const int yes = 1, buffer_bytes = 64 << 20;
  if (fd < 0 || address.sll_ifindex == 0 ||
      bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &yes, sizeof yes) != 0 ||
      setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof yes) != 0)
    give_up(name);
  setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer_bytes, sizeof buffer_bytes);
  setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &buffer_bytes, sizeof buffer_bytes);
  return fd;
}

class Relay {
 public:
  explicit Relay(const Options& options)
      : options_(options),
        for_a_(options.a_interface != nullptr ? open_interface(options.a_interface)
                                              : open_port(options.port_for_a)),
        for_b_(options.b_interface != nullptr ? open_interface(options.b_interface)
                                              : open_port(options.port_for_b)) {}

  void run() {
    const int64_t start_ns = now_ns();
    const auto end_ns = start_ns + static_cast<int64_t>(options_.seconds * 1e9);
    const auto attack_start_ns = start_ns + static_cast<int64_t>(options_.attack_after_s * 1e9);
    const auto attack_end_ns = attack_start_ns + static_cast<int64_t>(options_.attack_for_s * 1e9);
    for (int64_t now = start_ns; now < end_ns; now = now_ns()) {
      take(for_a_, true);
      take(for_b_, false);
      while (!held_.empty() && held_.top().due_ns <= now) {
        pass(held_.top());
        held_.pop();
      }
      const bool attacking =
          options_.attack_per_s > 0 && now >= attack_start_ns && now < attack_end_ns;
      if (attacking) attack(now - attack_start_ns);
      wait(attacking ? now + 200'000 : end_ns);
    }
    std::printf("passed=%llu lost=%llu attacks=%llu\n", static_cast<unsigned long long>(passed_),
                static_cast<unsigned long long>(lost_), static_cast<unsigned long long>(attacks_));
  }

 private:
  bool chance(double share) {
    return share > 0 && std::uniform_real_distribution<>(0, 1)(random_) < share;
  }

  void take(int fd, bool to_b) {
    static uint8_t bytes[128 << 10];
    for (ssize_t size; (size = recv(fd, bytes, sizeof bytes, 0)) > 0;) {
      if (to_b && size == 96 && bytes[5] == 1) genuine_.assign(bytes, bytes + size);
      if (chance(options_.loss)) {
        ++lost_;
        continue;
      }
      const int copies = chance(options_.duplicate) ? 2 : 1;
      for (int i = 0; i < copies; ++i) {
        double delay_us = to_b ? options_.delay_ab_us : options_.delay_ba_us;
        if (options_.jitter_us > 0)
          delay_us += std::exponential_distribution<>(1 / options_.jitter_us)(random_);
        held_.push({now_ns() + static_cast<int64_t>(delay_us * 1000), to_b, {bytes, bytes + size}});
      }
    }
  }

  void send_to(bool to_b, const uint8_t* bytes, size_t size) {
    if (options_.a_interface != nullptr) {
      send(to_b ? for_b_ : for_a_, bytes, size, 0);
      return;
    }
    const sockaddr_in address = loopback(to_b ? options_.b_port : options_.a_port);
    sendto(to_b ? for_b_ : for_a_, bytes, size, 0, reinterpret_cast<const sockaddr*>(&address),
           sizeof address);
  }

  void pass(const Held& held) {
    send_to(held.to_b, held.bytes.data(), held.bytes.size());
    ++passed_;
  }

  void attack(int64_t since_ns) {
    if (genuine_.empty()) return;
    const auto goal =
        static_cast<uint64_t>(options_.attack_per_s * static_cast<double>(since_ns) * 1e-9);
    for (; attacks_ < goal; ++attacks_) {
      std::vector<uint8_t> bytes = genuine_;
      switch (attacks_ % 7) {
        case 0:
          break;  // replayed as it is
        case 1:
          bytes.resize(1 + attacks_ % 95);
          break;  // cut
        case 2:
          bytes.resize(97 + attacks_ % 1300, 0x5a);
          break;  // lengthened
        case 3:
          bytes[4] = static_cast<uint8_t>(2 + attacks_ % 200);
          break;  // another version
        case 4:
          bytes[80 + attacks_ % 16] ^= 1;
          break;  // wrong code
        case 5:
          bytes[72 + attacks_ % 8] ^= 0x40;
          break;  // a changed stamp
        default:  // noise
          for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random_());
      }
      send_to(true, bytes.data(), bytes.size());
    }
  }

  void wait(int64_t until_ns) {
    if (!held_.empty() && held_.top().due_ns < until_ns) until_ns = held_.top().due_ns;
    const int64_t pause_ns = until_ns - now_ns();
    if (pause_ns <= 0) return;
    const timespec timeout = {pause_ns / 1'000'000'000, pause_ns % 1'000'000'000};
    pollfd items[] = {{for_a_, POLLIN, 0}, {for_b_, POLLIN, 0}};
    ppoll(items, 2, &timeout, nullptr);
  }

  const Options options_;
  const int for_a_, for_b_;
  std::mt19937_64 random_{7};
  std::priority_queue<Held> held_;
  std::vector<uint8_t> genuine_;
  uint64_t passed_ = 0, lost_ = 0, attacks_ = 0;
};

bool take_option(const std::string& name, const char* text, Options* o) {
  const double value = std::atof(text);
  const auto port = static_cast<uint16_t>(value);
  if (name == "--a-interface")
    o->a_interface = text;
  else if (name == "--b-interface")
    o->b_interface = text;
  else if (name == "--port-for-a")
    o->port_for_a = port;
  else if (name == "--port-for-b")
    o->port_for_b = port;
  else if (name == "--a")
    o->a_port = port;
  else if (name == "--b")
    o->b_port = port;
  else if (name == "--delay-ab-us")
    o->delay_ab_us = value;
  else if (name == "--delay-ba-us")
    o->delay_ba_us = value;
  else if (name == "--jitter-us")
    o->jitter_us = value;
  else if (name == "--loss")
    o->loss = value;
  else if (name == "--duplicate")
    o->duplicate = value;
  else if (name == "--attack")
    o->attack_per_s = value;
  else if (name == "--attack-after")
    o->attack_after_s = value;
  else if (name == "--attack-for")
    o->attack_for_s = value;
  else if (name == "--seconds")
    o->seconds = value;
  else
    return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!take_option(argv[i], argv[i + 1], &options)) {
      std::fprintf(stderr, "lockstep-relay: unknown option %s\n", argv[i]);
      return 2;
    }
  }
  const bool ports = options.port_for_a != 0 && options.port_for_b != 0 && options.a_port != 0 &&
                     options.b_port != 0;
  const bool interfaces = options.a_interface != nullptr && options.b_interface != nullptr;
  if (ports == interfaces) {
    std::fprintf(stderr,
                 "usage: lockstep-relay --port-for-a N --port-for-b N --a PORT --b PORT [...]\n"
                 "       lockstep-relay --a-interface NAME --b-interface NAME [...]\n");
    return 2;
  }
  Relay(options).run();
  return 0;
}
