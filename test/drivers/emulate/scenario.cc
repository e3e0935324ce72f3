#include "test/drivers/emulate/scenario.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "test/drivers/emulate/hazards.h"

namespace lockstep::driver {
namespace {

constexpr int kBarrierTimeoutMs = 30'000;

uint64_t scramble(uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
  value = (value ^ value >> 27) * 0x94d049bb133111ebu;
  return value ^ value >> 31;
}

void sleep_us(double us) { usleep(static_cast<useconds_t>(us)); }

// What a rank that hangs is found in by its stack: a frame of its own, in pieces so that the last call
// does not take its place.
[[gnu::noinline]] void hang_outside_nccl(double us) {
  constexpr double kPieceUs = 100'000;
  for (double left_us = us; left_us > 0; left_us -= kPieceUs)
    usleep(static_cast<useconds_t>(std::min(left_us, kPieceUs)));
}

}  // namespace

Scenario::Scenario(const EmulateOptions& options, Plugin* plugin, Bootstrap* bootstrap,
                   TruthFile* truth)
    : options_(options),
      plugin_(plugin),
      bootstrap_(bootstrap),
      truth_(truth),
      gpu_(options.gpu, bootstrap->rank()) {
  gpu_.publish();
}

int Scenario::run() {
  write_run_facts();
  for (int round = 0; round < options_.work.rounds; ++round) {
    if (!create_communicators() || !bootstrap_->barrier(kBarrierTimeoutMs)) {
      fprintf(stderr, "lockstep-emulate: rank %d: the communicators could not be connected\n",
              world_rank());
      return 1;
    }
    run_iterations();
    host_.reset();
    graphs_.clear();
    if (options_.end == "kill") raise(SIGKILL);
    if (options_.end == "exit")
      exit(0);  // with the progress threads alive, as in a job that never destroys
    destroy_all(stalled_ ? Communicator::Ending::Abort : Communicator::Ending::Drain);
    if (stalled_) break;
  }
  const Injection& inject = options_.inject;
  const bool stall_wanted = inject.hang_rank != kNobody || inject.wrong_order != kNobody ||
                            inject.dead_rank != kNobody || inject.mismatch_count != kNobody ||
                            inject.stuck_transport != kNobody || inject.abort_rank != kNobody ||
                            options_.kill_after_us >= 0;
  if (stalled_ && !stall_wanted) {
    fprintf(stderr, "lockstep-emulate: rank %d: an operation did not finish in %.0f us\n",
            world_rank(), inject.stall_us);
  }
  return stalled_ && !stall_wanted ? 1 : 0;
}

void Scenario::write_run_facts() {
  const Injection& inject = options_.inject;
  char more[300];
  snprintf(more, sizeof more,
           ",\"table\":%d,\"gpu_offset_us\":%.3f,\"gpu_drift_ppm\":%.3f,\"gpu_resolution_ns\":%u,"
           "\"gpu_zero_raw_ns\":%lld,\"gpu_zero_ns\":%lld",
           plugin_->version(), options_.gpu.offset_us * (world_rank() + 1),
           options_.gpu.drift_ppm * (world_rank() + 1), options_.gpu.resolution_ns,
           static_cast<long long>(gpu_.zero_raw_ns()), static_cast<long long>(gpu_.zero_ns()));
  truth_->run({world_rank(),
               bootstrap_->world(),
               bootstrap_->host_of(world_rank()),
               options_.seed,
               {{"late", inject.late_rank},
                {"slow-link", inject.slow_link},
                {"slow-proxy", inject.slow_proxy},
                {"hang", inject.hang_rank},
                {"wrong-order", inject.wrong_order},
                {"mismatch-count", inject.mismatch_count},
                {"dead", inject.dead_rank},
                {"stuck-transport", inject.stuck_transport},
                {"abort", inject.abort_rank}},
               inject.at,
               inject.late_us,
               more});
}

bool Scenario::create_communicators() {
  std::vector<int> world, same_parity;
  for (int rank = 0; rank < bootstrap_->world(); ++rank) {
    world.push_back(rank);
    if (rank % 2 == world_rank() % 2) same_parity.push_back(rank);
  }
  std::vector<CommunicatorOptions> copies;
  for (int i = 0; i < options_.work.comms; ++i) {
    const std::string name = i == 0 ? "world" : "world" + std::to_string(i);
    copies.push_back({name, scramble(options_.seed * 1000 + static_cast<uint64_t>(i)) | 1, world,
                      options_.work.channels, nullptr});
  }
  create(copies, nullptr);
  if (options_.work.split) {
    const int color = world_rank() % 2;
    const uint64_t id = scramble(comms_[0]->id() + 7 + static_cast<uint64_t>(color)) | 1;
    create({{"split" + std::to_string(color), id, same_parity, options_.work.channels, nullptr}},
           options_.work.share ? comms_[0]->progress() : nullptr);
  }
  return std::all_of(comms_.begin(), comms_.end(),
                     [](const auto& comm) { return comm->complete(); });
}

// Real hosts count as nodes. On one host every rank is a node of its own, because all edges go over
// the network.
int Scenario::nodes_of(const std::vector<int>& members) const {
  const auto ranks = static_cast<int>(members.size());
  if (options_.work.nodes != 0) return std::min(options_.work.nodes, ranks);
  return bootstrap_->hosts() > 1 ? bootstrap_->hosts_of(members) : ranks;
}

// Several at once are initialised from several threads at once, as NCCL's grouped init does.
void Scenario::create(std::vector<CommunicatorOptions> wanted,
                      const std::shared_ptr<Progress>& shared) {
  std::vector<std::thread> inits;
  for (CommunicatorOptions& facts : wanted) {
    inits.emplace_back([this, &facts] {
      const auto ranks = static_cast<int32_t>(facts.members.size());
      const auto me = std::find(facts.members.begin(), facts.members.end(), world_rank()) -
                      facts.members.begin();
      facts.context = plugin_->init(
          {facts.name, facts.id, nodes_of(facts.members), ranks, static_cast<int32_t>(me)});
    });
  }
  for (std::thread& init : inits) init.join();
  for (CommunicatorOptions& facts : wanted) {
    comms_.push_back(
        std::make_unique<Communicator>(plugin_, bootstrap_, options_, &gpu_, facts, shared));
    const Communicator& comm = *comms_.back();
    char text[200];
    snprintf(text, sizeof text,
             "{\"type\":\"comm\",\"comm_id\":\"%016lx\",\"name\":\"%s\",\"rank\":%d,\"ranks\":%d}",
             comm.id(), facts.name.c_str(), comm.rank(), comm.ranks());
    truth_->line(text);
  }
}

// One instant for all, because a rank that came late to its own beginning would be late in all that
// follows: rank 0's, where the barrier has just let both go. Hosts, and time namespaces, without a
// clock in common differ by more than a barrier takes; there each begins by its own.
bool Scenario::agree_on_the_start() {
  constexpr int64_t kSameClockNs = 1'000'000'000;
  began_ = now();
  if (options_.work.rate <= 0) return true;
  int64_t told_ns = began_.raw_ns;
  if (!bootstrap_->tell_all(&told_ns, kBarrierTimeoutMs)) return false;
  if (std::abs(began_.raw_ns - told_ns) < kSameClockNs) began_.raw_ns = told_ns;
  return true;
}

void Scenario::run_iterations() {
  if (options_.work.graph_replay > 0) host_ = std::make_unique<HostCallbackThread>();
  stalled_ = !agree_on_the_start();
  for (int iteration = 0; iteration < options_.work.iterations && !stalled_; ++iteration) {
    wait_for_rate(iteration);
    read_data(iteration);
    stalled_ = !run_iteration(iteration);
  }
  if (!stalled_) stalled_ = !synchronize();
  if (!stalled_ && options_.work.hazards) play_hazards(plugin_, comms_[0]->context(), &api_);
}

// In an order of its own each time, as a shuffling data loader does: nothing is read ahead.
void Scenario::read_data(int iteration) {
  if (options_.work.data.empty()) return;
  constexpr size_t kBlockBytes = 64 << 10;
  std::FILE* file = std::fopen(options_.work.data.c_str(), "rb");
  if (file == nullptr) return;
  std::fseek(file, 0, SEEK_END);
  const auto blocks = static_cast<uint64_t>(std::ftell(file)) / kBlockBytes;
  data_.resize(kBlockBytes);
  for (uint64_t i = 0; i < blocks; ++i) {
    const uint64_t block = scramble((static_cast<uint64_t>(iteration) << 32) + i) % blocks;
    std::fseek(file, static_cast<long>(block * kBlockBytes), SEEK_SET);
    if (std::fread(data_.data(), 1, kBlockBytes, file) == 0) break;
  }
  std::fclose(file);
}

bool Scenario::is_culprit(int rank, int iteration) const {
  return rank == world_rank() && iteration == options_.inject.at;
}

bool Scenario::is_late(int iteration) const {
  const uint64_t dice = scramble(options_.seed * 7919 + static_cast<uint64_t>(iteration));
  return options_.inject.late_rank != kNobody &&
         static_cast<double>(dice >> 11) <
             options_.inject.late_fraction * static_cast<double>(uint64_t{1} << 53);
}

void Scenario::wait_for_rate(int iteration) {
  if (options_.work.rate <= 0 || iteration < options_.work.burst) return;
  if (iteration == options_.work.burst && iteration != 0) began_ = now();
  const double due_ns = (iteration - options_.work.burst) / options_.work.rate * 1e9;
  const double wait_ns = due_ns - static_cast<double>(now().raw_ns - began_.raw_ns);
  if (wait_ns > 0) sleep_us(wait_ns / 1000);
}

// False when the job stands still and is to be aborted.
bool Scenario::run_iteration(int iteration) {
  const Injection& inject = options_.inject;
  const int late_before =
      is_late(iteration) && inject.late_rank == world_rank() ? inject.late_comm : kNobody;
  if (inject.ras_mask >= 0 && iteration >= inject.at)
    plugin_->override_mask(static_cast<uint32_t>(inject.ras_mask));
  if (is_culprit(inject.hang_rank, iteration)) {
    synchronize();
    hang_outside_nccl(inject.stall_us);
    return false;
  }
  for (size_t i = 0; i < comms_.size(); ++i) {
    if (static_cast<int>(i) == late_before) sleep_us(inject.late_us);
    call_on(comms_[i].get(), iteration);
  }
  if (is_culprit(inject.dead_rank, iteration)) raise(SIGKILL);
  if (is_culprit(inject.abort_rank, iteration)) return false;
  return (iteration + 1) % options_.work.sync_every != 0 || synchronize();
}

bool Scenario::synchronize() {
  while (!pending_.empty()) {
    const Pending& front = pending_.front();
    if (!front.comm->stream().wait(*front.kernel, options_.inject.stall_us)) return false;
    for (const uint64_t id : front.operations)
      truth_->done(id, front.kernel->finished_at, front.kernel->duration_ns());
    pending_.pop_front();
  }
  return true;
}

// With shared progress threads the parent goes first and its children work on, with its context in
// their ProxyCtrl.
void Scenario::destroy_all(Communicator::Ending ending) {
  for (const auto& comm : comms_) {
    comm->destroy(ending);
    if (!options_.work.share || ending == Communicator::Ending::Abort || comm != comms_.front())
      continue;
    call_group(comms_.back().get(), options_.work.iterations,
               {{"AllReduce", options_.work.sizes[0], 0, 0}}, false);
    stalled_ = !synchronize();
  }
  comms_.clear();
}

}  // namespace lockstep::driver
