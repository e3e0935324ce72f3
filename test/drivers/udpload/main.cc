// lockstep-udpload ADDRESS MBIT_PER_S SECONDS: fills a bottleneck the way other jobs do, with
// Poisson bursts of eight packets of 1400 bytes to UDP port 9. For the tests' own network
// namespaces only.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <random>

int main(int argc, char** argv) {
  constexpr int kPacketBytes = 1400, kBurst = 8;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  if (argc != 4 || inet_pton(AF_INET, argv[1], &address.sin_addr) != 1) {
    std::fprintf(stderr, "usage: lockstep-udpload ADDRESS MBIT_PER_S SECONDS\n");
    return 2;
  }
  const double bursts_per_s = std::atof(argv[2]) * 1e6 / (8.0 * (kPacketBytes + 42) * kBurst);
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const char bytes[kPacketBytes] = {};
  std::mt19937_64 random(1);
  std::exponential_distribution<> gap_s(bursts_per_s);
  timespec next{};
  clock_gettime(CLOCK_MONOTONIC, &next);
  const time_t end_s = next.tv_sec + std::atol(argv[3]);
  while (next.tv_sec < end_s) {
    const auto gap_ns = static_cast<long>(gap_s(random) * 1e9);
    next.tv_sec += (next.tv_nsec + gap_ns) / 1'000'000'000;
    next.tv_nsec = (next.tv_nsec + gap_ns) % 1'000'000'000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nullptr);
    for (int i = 0; i < kBurst; ++i) {
      sendto(fd, bytes, sizeof bytes, 0, reinterpret_cast<const sockaddr*>(&address),
             sizeof address);
    }
  }
  return 0;
}
