// The calls a communicator makes to the plugin from a user's thread or a host callback, in NCCL's
// order.
#include <algorithm>
#include <cstring>

#include "test/drivers/common/mask.h"
#include "test/drivers/emulate/communicator.h"

namespace lockstep::driver {
namespace {

constexpr uint64_t kElementBytes = 4;  // ncclFloat32
constexpr uintptr_t kFirstStream = 0x7e5700;

bool counts_bytes(const char* func) {
  return strcmp(func, "AllGather") == 0 || strcmp(func, "Broadcast") == 0;
}

uint64_t mix(uint64_t value) {
  value ^= value >> 31;
  return value * 0x9e3779b97f4a7c15u ^ value >> 27;
}

uint64_t hash_of(const std::string& text) {
  uint64_t hash = 1469598103934665603u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

}  // namespace

// The groups of calls take the streams in turn. NCCL orders a communicator's kernels among themselves.
void* Communicator::stream_label() const {
  const auto stream = groups_called_ % static_cast<uint64_t>(options_.work.streams);
  return reinterpret_cast<void*>(kFirstStream + stream * sizeof(void*));
}

std::shared_ptr<Kernel> Communicator::call(ApiState* api, const std::vector<Operation>& operations,
                                           const CallOptions& how) {
  LaunchPlan plan;
  const bool empty = std::all_of(operations.begin(), operations.end(), [](const Operation& one) {
    return !is_p2p(one) && one.size_bytes == 0;
  });
  if (ranks() == 1 || empty) {  // NCCL makes no calls for these
    auto nothing = std::make_shared<Kernel>();
    nothing->finished = true;
    nothing->finished_at = now();
    return nothing;
  }
  plan.tasks = api_calls(api, operations, how.grouped, false);
  const std::shared_ptr<Kernel> kernel = make_kernel(plan);
  launch(*api, plan, [&] { stream_.launch(kernel); });
  host_stream_plan(&plan, *kernel, how.stuck);
  end_group_api(api);
  return kernel;
}

std::shared_ptr<LaunchPlan> Communicator::capture(ApiState* api,
                                                  const std::vector<Operation>& operations) {
  auto plan = std::make_shared<LaunchPlan>();
  plan->captured = true;
  plan->tasks = api_calls(api, operations, false, true);
  launch(*api, *plan, [] {});
  end_group_api(api);
  return plan;
}

void Communicator::launch(const ApiState& api, const LaunchPlan& plan,
                          const std::function<void()>& queue_kernel) {
  if (api.group_api != nullptr)
    plugin_->record(Kind::GroupApi, api.group_api, abi::kGroupEndApiStart, nullptr);
  const bool wanted = std::any_of(plan.tasks.begin(), plan.tasks.end(), is_launched) &&
                      mask_wants(api.mask, Kind::KernelLaunch);
  void* handle = nullptr;
  if (wanted) {
    abi::v7::EventDescr event{};
    event.parent = api.group_api;
    event.kernel_launch.stream = stream_label();
    plugin_->start(Kind::KernelLaunch, context_, &handle, event);
  }
  queue_kernel();
  if (wanted) plugin_->stop(Kind::KernelLaunch, handle);
}

std::shared_ptr<Kernel> Communicator::enqueue_replay(const std::shared_ptr<LaunchPlan>& plan) {
  auto kernel = make_kernel(*plan);
  stream_.launch(kernel);
  return kernel;
}

void Communicator::run_host_callback(LaunchPlan* plan, const std::shared_ptr<Kernel>& kernel) {
  for (Task& task : plan->tasks) {
    task.tag = mix(hash_of(task.operation.func) ^ mix(facts_.id + ++called_[task.operation.func]));
  }
  host_stream_plan(plan, *kernel, false);
}

std::vector<Task> Communicator::api_calls(ApiState* api, const std::vector<Operation>& operations,
                                          bool grouped, bool captured) {
  ++groups_called_;
  start_group_api(api, grouped, captured);
  std::vector<Task> colls, p2ps;
  for (const Operation& operation : operations) {
    Task task;
    task.operation = operation;
    task.plan =
        plan_operation(operation, ranks(), rank_, facts_.channels, options_.work.user_buffers);
    task.mask = api->mask;
    const std::string key = is_p2p(operation)
                                ? std::string("P2p") + (operation.func[0] == 'S' ? ">" : "<") +
                                      std::to_string(operation.peer)
                                : operation.func;
    // Both ends of a p2p pair number their messages, from sender to receiver.
    const uint64_t from = static_cast<uint64_t>(operation.func[0] == 'S' ? rank_ : operation.peer);
    const uint64_t kind = is_p2p(operation) ? mix(from + 77) : hash_of(operation.func);
    task.tag = mix(kind ^ mix(facts_.id + ++called_[key]));
    api_call(api, &task, captured);
    (is_p2p(operation) ? p2ps : colls).push_back(task);
  }
  colls.insert(colls.end(), p2ps.begin(), p2ps.end());
  pair_works(&colls);
  return colls;
}

void Communicator::start_group_api(ApiState* api, bool grouped, bool captured) {
  api->mask = plugin_->mask();
  if (!mask_wants(api->mask, Kind::GroupApi)) return;
  abi::v7::EventDescr event{};
  event.group_api = {captured, grouped ? 2 : 1};
  plugin_->start(Kind::GroupApi, context_, &api->group_api, event);
  plugin_->record(Kind::GroupApi, api->group_api, abi::kGroupStartApiStop, nullptr);
}

void Communicator::end_group_api(ApiState* api) {
  if (!mask_wants(api->mask, Kind::GroupApi)) return;
  plugin_->stop(Kind::GroupApi, api->group_api);
  api->group_api = nullptr;
}

void Communicator::api_call(ApiState* api, Task* task, bool captured) {
  const bool p2p = is_p2p(task->operation);
  const Kind kind = p2p ? Kind::P2pApi : Kind::CollApi;
  void** handle = p2p ? &api->p2p_api : &api->coll_api;
  const uint64_t count = task->operation.size_bytes / kElementBytes;
  if (mask_wants(task->mask, kind)) {
    abi::v7::EventDescr event{};
    event.parent = api->group_api;
    if (p2p)
      event.p2p_api = {task->operation.func, count, "ncclFloat32", stream_label(), captured, 0};
    else
      event.coll_api = {task->operation.func,
                        count,
                        "ncclFloat32",
                        task->operation.root,
                        stream_label(),
                        captured,
                        0};
    plugin_->start(kind, context_, handle, event);
    plugin_->stop(kind, *handle);
  } else if (!p2p && api->coll_api != nullptr) {
    plugin_->stop(Kind::CollApi,
                  api->coll_api);  // NCCL stops the old handle again when the mask lost the bit
  }
  task->api = *handle;
  if (p2p) api->p2p_api = nullptr;
}

void Communicator::start_task(Task* task, void* group) {
  const bool p2p = is_p2p(task->operation);
  abi::v7::EventDescr event{};
  event.parent = task->api;
  event.rank = rank_;
  const uint64_t bytes = task->operation.size_bytes;
  const auto channels = static_cast<uint8_t>(task->plan.channels);
  if (p2p) {
    event.p2p = {task->operation.func, &ce_buffer_, "ncclFloat32", bytes / kElementBytes,
                 task->operation.peer, channels,    group,         0};
  } else {
    const bool in_bytes = counts_bytes(task->operation.func);
    event.coll.seq_number = task->seq_number;
    event.coll.func = task->operation.func;
    event.coll.send_buff = &ce_buffer_;
    event.coll.recv_buff = &ce_buffer_;
    event.coll.count = in_bytes ? bytes : bytes / kElementBytes;
    event.coll.root = task->operation.root;
    event.coll.datatype = in_bytes ? "ncclInt8" : "ncclFloat32";
    event.coll.channels = channels;
    event.coll.warps = 9;
    event.coll.algo = "RING";
    event.coll.proto = "SIMPLE";
    event.coll.parent_group = group;
  }
  plugin_->start(p2p ? Kind::P2p : Kind::Coll, context_, &task->handle, event);
}

// A broadcast goes a way of its own in NCCL, without mask: API events only.
bool Communicator::is_launched(const Task& task) {
  return strcmp(task.operation.func, "Broadcast") != 0;
}

void Communicator::host_stream_plan(LaunchPlan* plan, const Kernel& kernel, bool stuck) {
  const auto has_event = [](const Task& task) {
    return is_launched(task) &&
           mask_wants(task.mask, is_p2p(task.operation) ? Kind::P2p : Kind::Coll);
  };
  bool any = false;
  for (const Task& task : plan->tasks) any = any || has_event(task);
  const bool group = any && mask_wants(plan->tasks[0].mask, Kind::Group);
  if (group) plugin_->start(Kind::Group, context_, &plan->group_handle, abi::v7::EventDescr{});
  for (Task& task : plan->tasks) {
    if (!has_event(task)) continue;
    uint64_t& next = seq_numbers_[task.operation.func];
    const bool frozen =
        plan->captured && (task.mask & abi::kKernelCh) == 0 && task.handle != nullptr;
    if (!frozen) task.seq_number = next++;
    start_task(&task, plan->group_handle);
  }
  post(*plan, kernel, stuck);
  for (const Task& task : plan->tasks) {
    if (has_event(task))
      plugin_->stop(is_p2p(task.operation) ? Kind::P2p : Kind::Coll, task.handle);
  }
  if (group) plugin_->stop(Kind::Group, plan->group_handle);
}

// Syncs and copies, as enqueued by the host. CE events read the mask live.
void Communicator::ce_all_gather(ApiState* api, uint64_t size_bytes) {
  const uint64_t total_bytes = size_bytes * static_cast<uint64_t>(ranks());
  const std::vector<Task> tasks = api_calls(api, {{"AllGather", size_bytes, 0, 0}}, false, false);
  if (api->group_api != nullptr)
    plugin_->record(Kind::GroupApi, api->group_api, abi::kGroupEndApiStart, nullptr);
  const bool wanted = mask_wants(plugin_->mask(), Kind::CeColl);
  void* coll = nullptr;
  abi::v7::EventDescr event{};
  event.parent = tasks[0].api;
  event.rank = rank_;
  event.ce_coll.seq_number = ce_seq_;
  event.ce_coll.func = "AllGather";
  event.ce_coll.count = size_bytes;
  event.ce_coll.datatype = "ncclInt8";
  event.ce_coll.sync_strategy = "UC";
  event.ce_coll.ce_seq = static_cast<uint32_t>(ce_seq_);
  event.ce_coll.stream = stream_label();
  if (wanted) plugin_->start(Kind::CeColl, context_, &coll, event);
  abi::v7::EventDescr part{};
  part.ce_sync = {false, ranks()};
  ce_part(Kind::CeSync, coll, part, [] {});
  part.ce_batch = {ranks(), total_bytes, false};
  ce_part(Kind::CeBatch, coll, part, [&] { ce_buffer_.assign(total_bytes, 1); });
  part.ce_sync = {true, ranks()};
  ce_part(Kind::CeSync, coll, part, [] {});
  ce_seq_ += 2;
  if (wanted) plugin_->stop(Kind::CeColl, coll);
  end_group_api(api);
}

// NCCL 2.30 and before call the API events alone; 2.31 has the collective, and of each channel its
// kernel, with its three phases, when that is over.
bool Communicator::symmetric_all_gather(ApiState* api, uint64_t size_bytes) {
  constexpr int kPatienceMs = 30'000;
  const std::vector<Task> tasks = api_calls(api, {{"AllGather", size_bytes, 0, 0}}, false, false);
  if (api->group_api != nullptr)
    plugin_->record(Kind::GroupApi, api->group_api, abi::kGroupEndApiStart, nullptr);
  const uint64_t begin = gpu_->now();
  const bool all_came = bootstrap_->barrier(kPatienceMs);
  const uint64_t synced = gpu_->now();
  ce_buffer_.assign(size_bytes * static_cast<uint64_t>(ranks()), 1);
  const uint64_t computed = gpu_->now();
  const bool all_done = all_came && bootstrap_->barrier(kPatienceMs);
  if (plugin_->version() >= 7) {
    symmetric_events(tasks[0], {{"initial_sync", begin, synced},
                                {"compute", synced, computed},
                                {"final_sync", computed, gpu_->now()}});
  }
  end_group_api(api);
  return all_done;
}

void Communicator::symmetric_events(const Task& task, const std::vector<Phase>& phases) {
  if (!mask_wants(task.mask, Kind::Coll)) return;
  abi::v7::EventDescr event{};
  event.parent = task.api;
  event.rank = rank_;
  event.coll.seq_number = seq_numbers_[task.operation.func]++;
  event.coll.func = task.operation.func;
  event.coll.send_buff = event.coll.recv_buff = &ce_buffer_;
  event.coll.count = task.operation.size_bytes;
  event.coll.datatype = "ncclInt8";
  event.coll.channels = static_cast<uint8_t>(facts_.channels);
  event.coll.warps = 16;
  event.coll.algo = "LL";
  event.coll.proto = "";
  void* coll = nullptr;
  plugin_->start(Kind::Coll, context_, &coll, event);
  for (int channel = 0; channel < facts_.channels && mask_wants(task.mask, Kind::KernelCh);
       ++channel) {
    abi::v7::EventDescr of_channel{};
    of_channel.parent = coll;
    of_channel.kernel_ch = {static_cast<uint8_t>(channel), phases.front().start_stamp};
    void* kernel = nullptr;
    plugin_->start(Kind::KernelCh, context_, &kernel, of_channel);
    abi::StateArgsV4 args{};
    for (uint8_t p = 0; p < phases.size() && mask_wants(task.mask, Kind::KernelPhase); ++p) {
      abi::v7::EventDescr of_phase{};
      of_phase.parent = kernel;
      of_phase.kernel_phase = {static_cast<uint8_t>(channel), p, phases[p].name,
                               phases[p].start_stamp};
      void* phase = nullptr;
      plugin_->start(Kind::KernelPhase, context_, &phase, of_phase);
      args.p_timer = phases[p].stop_stamp;
      plugin_->record(Kind::KernelPhase, phase, abi::kKernelPhaseStop, &args);
      plugin_->stop(Kind::KernelPhase, phase);
    }
    args.p_timer = phases.back().stop_stamp;
    plugin_->record(Kind::KernelCh, kernel, abi::kKernelChStop, &args);
    plugin_->stop(Kind::KernelCh, kernel);
  }
  plugin_->stop(Kind::Coll, coll);
}

void Communicator::ce_part(Kind kind, void* coll, abi::v7::EventDescr part,
                           const std::function<void()>& work) {
  const bool wanted = coll != nullptr && mask_wants(plugin_->mask(), kind);
  void* handle = nullptr;
  part.parent = coll;
  part.rank = rank_;
  if (wanted) plugin_->start(kind, context_, &handle, part);
  work();
  if (wanted) plugin_->stop(kind, handle);
}

}  // namespace lockstep::driver
