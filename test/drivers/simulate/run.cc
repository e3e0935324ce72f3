#include "test/drivers/simulate/run.h"

#include <optional>

#include "base/output_file.h"
#include "dumper/options/event_mask.h"
#include "dumper/segment/file_io.h"
#include "test/drivers/simulate/engine.h"
#include "test/drivers/simulate/recording.h"
#include "test/drivers/simulate/schedule.h"
#include "test/drivers/simulate/truth.h"

namespace lockstep::simulate {
namespace {

// A job that can be played with different faults.
class Simulation {
 public:
  explicit Simulation(const RunOptions& options) : options_(options), random_(options.seed) {}

  Status prepare();
  Status record();

 private:
  Status prepare_layout();
  Status prepare_programs();
  Status prepare_faults();
  Outcome play_with(const Faults& faults, Observer* observer) const;
  int64_t end_with(const std::vector<Fault>& faults) const {
    return play_with(Faults(faults, random_), nullptr).end_ns;
  }

  const RunOptions& options_;
  Random random_;
  Layout layout_;
  std::vector<Program> programs_;
  std::optional<Noise> noise_;
  std::vector<Fault> faults_;
  uint32_t events_ = 0;
  int64_t healthy_ns_ = 0;
};

Status Simulation::prepare_layout() {
  const ScheduleInfo* schedule = find_schedule(options_.schedule);
  if (schedule == nullptr) {
    return Status::error("--schedule " + options_.schedule +
                         " is not known; --list shows those that are");
  }
  LayoutOptions where;
  where.ranks = options_.ranks;
  where.gpus_per_host = options_.gpus_per_host;
  where.adapter_each = options_.adapter_each;
  where.tree_bytes = options_.tree_bytes;
  where.tensor = options_.tensor != 0 ? options_.tensor : schedule->tensor;
  where.stages = options_.stages != 0 ? options_.stages : schedule->stages;
  where.experts = options_.experts != 0 ? options_.experts : schedule->experts;
  Result<Layout> layout = make_layout(where, options_.seed);
  if (!layout.ok()) return layout.status();
  layout_ = std::move(layout.value());
  return Status();
}

Status Simulation::prepare() {
  Status status = prepare_layout();
  if (!status.ok()) return status;
  const Result<uint32_t> events = dumper::parse_events(options_.events);
  if (!events.ok()) return events.status();
  events_ = events.value();
  status = prepare_programs();
  if (status.ok()) status = prepare_faults();
  if (status.ok()) status = prepare_programs();
  if (!status.ok()) return status;
  const Result<NoiseModel> noise = make_noise(options_.noise, layout_.hosts, options_.seed);
  if (!noise.ok()) return noise.status();
  noise_.emplace(noise.value(), random_, options_.ranks, options_.gpus_per_host, options_.steps);
  if (faults_.empty()) return Status();  // what is recorded is the healthy run
  const Outcome healthy = play_with(Faults({}, random_), nullptr);
  if (healthy.hung()) return Status::error("the schedule hangs by itself: a defect");
  healthy_ns_ = healthy.end_ns;
  for (Fault& fault : faults_) fault.unit_ns = healthy_ns_ / options_.steps;
  return Status();
}

Status Simulation::prepare_faults() {
  for (const std::string& name : options_.classes) {
    if (name == "healthy") continue;
    FaultOptions fault;
    fault.name = name;
    for (const Fault& other : faults_) fault.taken.push_back(other.rank);
    const bool first = faults_.empty();
    if (first) fault.size = options_.size;
    if (first) fault.rank = options_.rank;
    if (first) fault.step = options_.at_step;
    Result<Fault> made = make_fault(fault, layout_, programs_, options_.steps, options_.seed,
                                    static_cast<uint32_t>(faults_.size()));
    if (!made.ok()) return made.status();
    faults_.push_back(made.value());
  }
  return Status();
}

// What is structure is in the programs, with the fault as without it.
Status Simulation::prepare_programs() {
  ScheduleOptions schedule;
  schedule.name = options_.schedule;
  schedule.layers = options_.layers;
  schedule.micro_batches = options_.micro_batches;
  schedule.layer_ns = static_cast<int64_t>(options_.layer_us) * 1'000;
  schedule.layer_bytes = options_.layer_bytes;
  schedule.activation_bytes = options_.activation_bytes;
  for (const Fault& fault : faults_) {
    if (!is_structure(fault.info->harm)) continue;
    schedule.heavy = 1 + fault.size;
    if (fault.info->harm == Harm::HeavyStage) {
      schedule.heavy_stage = layout_.stage_of(fault.rank);
    } else {
      schedule.heavy_expert = layout_.member(fault.rank, Axis::Expert).rank;
    }
  }
  Result<std::vector<Program>> programs = make_programs(schedule, layout_);
  if (!programs.ok()) return programs.status();
  programs_ = std::move(programs.value());
  return Status();
}

Outcome Simulation::play_with(const Faults& faults, Observer* observer) const {
  const bool every_step = (events_ >> static_cast<unsigned>(Kind::ProxyStep) & 1u) != 0;
  const Network network(layout_, Machine(), *noise_, faults, every_step);
  return play({layout_, programs_, network, *noise_, faults, options_.steps, options_.sync_every,
               options_.run_ahead},
              observer);
}

Status Simulation::record() {
  const Faults faults(faults_, random_);
  Recording recording(layout_, faults, random_, options_, events_);
  const Outcome outcome = play_with(faults, &recording);
  if (faults_.empty()) healthy_ns_ = outcome.end_ns;
  RecordedCounts counts;
  const Status written = recording.write(options_.directory, outcome, &counts);
  if (!written.ok()) return written;
  Truth truth{options_, layout_, programs_, faults_, outcome, counts, events_};
  truth.healthy_ns = healthy_ns_;
  truth.noisy_host = noise_->noisy_host();
  for (size_t i = 0; i < faults_.size() && !outcome.hung(); ++i) {
    std::vector<Fault> others = faults_;
    others.erase(others.begin() + static_cast<ptrdiff_t>(i));
    const bool only = others.empty();
    truth.without_ns.push_back(only ? healthy_ns_ : end_with(others));
    truth.alone_ns.push_back(only ? outcome.end_ns : end_with({faults_[i]}));
  }
  return write_file(options_.directory + "/truth.json", truth_json(truth), IfExists::Refuse);
}

}  // namespace

Status simulate_run(const RunOptions& options, bool* fits) {
  Simulation simulation(options);
  Status status = simulation.prepare();
  *fits = status.ok();
  if (!status.ok()) return status;
  const int made = dumper::system_file_io()->make_directories(options.directory);
  if (made < 0) return Status::error(options.directory + ": cannot make the directory");
  return simulation.record();
}

}  // namespace lockstep::simulate
