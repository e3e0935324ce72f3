#include "test/drivers/simulate/host_clock.h"

#include <cstdio>

#include "clocksync/record/clock_model_json.h"

namespace lockstep::simulate {
namespace {

constexpr uint64_t kDayNs = 86'400'000'000'000;
constexpr int64_t kMostPpb = 30'000;  // of any clock against true time
constexpr int64_t kModelErrorNs = 200;

int64_t some_ppb(const Random& random, uint64_t whose) {
  const uint64_t range = 2 * static_cast<uint64_t>(kMostPpb);
  return static_cast<int64_t>(random.below(range, Draw::Clock, whose, 1)) - kMostPpb;
}

}  // namespace

HostClock::HostClock(int host, const Random& random)
    : raw_base_ns_(kDayNs + random.below(30 * kDayNs, Draw::Clock, static_cast<uint64_t>(host))),
      raw_ppb_(some_ppb(random, static_cast<uint64_t>(host))),
      gpu_seed_(random.bits(Draw::Clock, static_cast<uint64_t>(host), 2)) {}

uint64_t HostClock::gpu_ns(int64_t true_ns, int gpu) const {
  const Random random(gpu_seed_);
  const auto number = static_cast<uint64_t>(gpu);
  const uint64_t base_ns = kRealBaseNs + random.below(1'000'000'000, Draw::Clock, number);
  return line(base_ns, some_ppb(random, number), true_ns) / 32 * 32;
}

Anchor HostClock::anchor(int64_t true_ns) const {
  const uint64_t raw = raw_ns(true_ns);
  return {ticks(true_ns), raw, real_ns(true_ns), raw};
}

std::string host_name(int host) {
  char name[16];
  snprintf(name, sizeof name, "node%04d", host);
  return name;
}

Status save_clock_model(const Layout& layout, const Random& random, int64_t end_ns,
                        const std::string& directory) {
  clocksync::ClockModel model;
  model.reference = host_name(0);
  model.assumptions.push_back("simulated: the offsets are the true ones");
  const HostClock reference(0, random);
  for (int host = 0; host < layout.hosts; ++host) {
    const HostClock clock(host, random);
    clocksync::HostModel made;
    made.host = host_name(host);
    made.source = host == 0 ? clocksync::OffsetSource::SameHost : clocksync::OffsetSource::Probes;
    for (int64_t at_ns : {int64_t{0}, end_ns}) {
      const auto local = static_cast<int64_t>(clock.raw_ns(at_ns));
      const int64_t theta = local - static_cast<int64_t>(reference.raw_ns(at_ns));
      const int64_t error = host == 0 ? 0 : kModelErrorNs;
      made.knots.push_back({local, theta, theta - error, theta + error, false});
    }
    model.hosts.push_back(std::move(made));
  }
  return clocksync::save_clock_model(model, directory + "/" + clocksync::kClockModelFile);
}

}  // namespace lockstep::simulate
