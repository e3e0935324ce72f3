#include "test/drivers/simulate/noise.h"

#include <algorithm>
#include <cmath>

namespace lockstep::simulate {
namespace {

int64_t scaled(int64_t ns, double factor) {
  return static_cast<int64_t>(static_cast<double>(ns) * factor);
}

uint64_t key(const Place& place) {
  return static_cast<uint64_t>(place.rank) << 32 | static_cast<uint32_t>(place.step);
}

bool apply(const std::string& name, int hosts, const Random& random, NoiseModel* model) {
  if (name == "quiet") return true;
  if (name == "jitter") {
    model->host_sigma = std::max(model->host_sigma, 0.2);
    model->kernel_sigma = std::max(model->kernel_sigma, 0.02);
    model->transfer_sigma = std::max(model->transfer_sigma, 0.05);
  } else if (name == "heavy-jitter") {
    model->host_sigma = 0.6;
    model->kernel_sigma = 0.1;
    model->transfer_sigma = 0.25;
  } else if (name == "preemption") {
    model->preemptions = 0.01;
    model->preemption_ns = 4'000'000;
  } else if (name == "congestion") {
    model->congestion = 0.05;
  } else if (name == "loss") {
    model->losses = 0.004;
    model->loss_ns = 4'000'000;
  } else if (name == "loader") {
    model->loader_ns = 1'000'000;
    model->loader_stall = 0.05;
  } else if (name == "checkpoint") {
    model->checkpoint_every = 8;
    model->checkpoint_ns = 60'000'000;
  } else if (name == "gc") {
    model->collect_every = 10;
    model->collect_ns = 5'000'000;
  } else if (name == "warm-up") {
    model->warm_up = 3;
  } else if (name == "drift") {
    model->drift = 0.3;
  } else if (name == "noisy-host") {
    model->noisy_host =
        static_cast<int>(random.below(static_cast<uint64_t>(hosts), Draw::Choice, 0x4e));
  } else {
    return false;
  }
  return true;
}

}  // namespace

const std::vector<NoiseInfo>& noises() {
  static const std::vector<NoiseInfo> all = {
      {"quiet", "hardly any: sigma 0.5 % of kernels, 1 % of transfers, 5 % of host calls"},
      {"jitter", "lognormal: 2 %, 5 %, 20 %"},
      {"heavy-jitter", "lognormal: 10 %, 25 %, 60 %"},
      {"preemption", "host threads lose their core for some 4 ms before one instruction of 100"},
      {"congestion", "one transfer of 20 takes twice as long on average, exponential"},
      {"loss", "four transfers of 1,000 wait 4 ms for a retransmission"},
      {"loader", "data loaders take 1 ms more, exponential, and 20 ms in one step of twenty"},
      {"checkpoint", "all ranks stop for some 60 ms every 8 steps"},
      {"gc", "each rank collects garbage for 5 ms every 10 steps, each at a step of its own"},
      {"warm-up", "the first step takes four times as long; the excess halves with each step"},
      {"drift", "kernels take 30 % longer at the end than at the beginning, everywhere"},
      {"noisy-host", "jitter counts four times on one host"},
  };
  return all;
}

Result<NoiseModel> make_noise(const std::vector<std::string>& names, int hosts, uint64_t seed) {
  NoiseModel model;
  for (const std::string& name : names) {
    if (!apply(name, hosts, Random(seed), &model))
      return Status::error("--noise " + name + " is not known; --list shows those that are");
  }
  return model;
}

double Noise::warm_up_factor(int step) const { return 1 + std::ldexp(model_.warm_up, -step); }

int64_t Noise::host_ns(const Place& place, int64_t ns) const {
  const double sigma = model_.host_sigma * sigma_factor(place.rank);
  const double factor = random_.lognormal(sigma, Draw::HostTime, key(place), place.instruction);
  int64_t lost_ns = 0;
  if (random_.uniform(Draw::Preemption, key(place), place.instruction) < model_.preemptions) {
    lost_ns = scaled(model_.preemption_ns,
                     random_.lognormal(0.5, Draw::PreemptionTime, key(place), place.instruction));
  }
  return scaled(ns, factor * warm_up_factor(place.step)) + lost_ns;
}

int64_t Noise::step_begin_ns(const Place& place) const {
  int64_t ns = 0;
  const auto step = static_cast<uint64_t>(place.step);
  if (model_.loader_ns != 0) {
    ns += scaled(model_.loader_ns, random_.exponential(Draw::Loader, key(place)));
    const bool stalls = random_.uniform(Draw::LoaderStall, step) < model_.loader_stall;
    const uint64_t who = random_.below(static_cast<uint64_t>(ranks_), Draw::LoaderStall, step, 1);
    if (stalls && static_cast<uint64_t>(place.rank) == who) ns += 20 * model_.loader_ns;
  }
  if (model_.checkpoint_every != 0 && (place.step + 1) % model_.checkpoint_every == 0)
    ns += scaled(model_.checkpoint_ns, random_.lognormal(0.1, Draw::Loader, key(place), 1));
  if (model_.collect_every != 0) {
    const uint64_t own = random_.bits(Draw::Collection, static_cast<uint64_t>(place.rank));
    if ((step + own) % static_cast<uint64_t>(model_.collect_every) == 0)
      ns += scaled(model_.collect_ns, random_.lognormal(0.3, Draw::Collection, key(place)));
  }
  return ns;
}

int64_t Noise::kernel_ns(const Place& place, int64_t ns) const {
  const double sigma = model_.kernel_sigma * sigma_factor(place.rank);
  const double along = static_cast<double>(place.step) / steps_;
  const double factor = random_.lognormal(sigma, Draw::KernelTime, key(place), place.instruction);
  return scaled(ns, factor * warm_up_factor(place.step) * (1 + model_.drift * along));
}

double Noise::transfer_factor(uint32_t communicator, uint64_t ordinal) const {
  const double usual =
      random_.lognormal(model_.transfer_sigma, Draw::TransferTime, communicator, ordinal);
  if (random_.uniform(Draw::Congestion, communicator, ordinal) >= model_.congestion) return usual;
  return usual * (1 + random_.exponential(Draw::Congestion, communicator, ordinal, 1));
}

int64_t Noise::transfer_delay_ns(uint32_t communicator, uint64_t ordinal) const {
  const bool lost = random_.uniform(Draw::Retransmission, communicator, ordinal) < model_.losses;
  return lost ? model_.loss_ns : 0;
}

int64_t Noise::end_delay_ns(int rank, uint32_t communicator, uint64_t ordinal) const {
  constexpr double kUsualNs = 500;
  if (model_.transfer_sigma == 0) return 0;
  return static_cast<int64_t>(kUsualNs * random_.exponential(Draw::EndTime,
                                                             static_cast<uint64_t>(rank),
                                                             communicator, ordinal));
}

}  // namespace lockstep::simulate
