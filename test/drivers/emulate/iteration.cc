// What one iteration of an emulated job calls on one communicator.
#include "test/drivers/emulate/scenario.h"

namespace lockstep::driver {
namespace {

constexpr int kDeviceKernelMs = 30'000;

}  // namespace

void Scenario::call_on(Communicator* comm, int iteration) {
  const Workload& work = options_.work;
  std::vector<Operation> operations;
  for (size_t i = 0; i < work.ops.size(); ++i) {
    const uint64_t size = work.sizes[(static_cast<size_t>(iteration) + i) % work.sizes.size()];
    operations.push_back({function_of_option(work.ops[i]).value(), size, 0, 0});
  }
  const Injection& inject = options_.inject;
  if (inject.wrong_order != kNobody && iteration == inject.at) {
    operations = {{"AllReduce", work.sizes[0], 0, 0}, {"AllGather", work.sizes[0], 0, 0}};
    if (is_culprit(inject.wrong_order, iteration)) std::swap(operations[0], operations[1]);
  }
  if (is_culprit(inject.mismatch_count, iteration)) operations[0].size_bytes /= 2;

  for (const Operation& operation : operations) {
    if (work.graph_replay > 0 && comm->ranks() > 1)
      replay_graph(comm, iteration, operation);
    else
      call_group(comm, iteration,
                 std::vector<Operation>(static_cast<size_t>(work.groups), operation),
                 work.groups > 1);
  }
  const int ranks = comm->ranks();
  if (work.sendrecv && ranks > 1) {
    call_group(comm, iteration,
               {{"Send", work.sizes[0], 0, (comm->rank() + 1) % ranks},
                {"Recv", work.sizes[0], 0, (comm->rank() + ranks - 1) % ranks}},
               true);
  }
  if (work.alltoall && ranks > 1) {
    std::vector<Operation> exchange;
    for (int distance = 0; distance < ranks; ++distance) {
      exchange.push_back({"Send", work.sizes[0], 0, (comm->rank() + distance) % ranks});
      exchange.push_back({"Recv", work.sizes[0], 0, (comm->rank() + ranks - distance) % ranks});
    }
    call_group(comm, iteration, exchange, true);
  }
  if (work.ce && ranks > 1) {
    const std::vector<uint64_t> ids =
        note_called(*comm, iteration, {{"AllGather", work.sizes[0], 0, 0}});
    comm->ce_all_gather(&api_, work.sizes[0]);
    truth_->done(ids[0], now(), 0);
  }
  if (work.symmetric && ranks > 1 && ranks == bootstrap_->world()) {
    const std::vector<uint64_t> ids =
        note_called(*comm, iteration, {{"AllGather", work.sizes[0], 0, 0}});
    if (comm->symmetric_all_gather(&api_, work.sizes[0])) truth_->done(ids[0], now(), 0);
  }
  // What such a kernel sends and receives never passes the library.
  if (work.device_api && ranks == bootstrap_->world()) bootstrap_->barrier(kDeviceKernelMs);
}

void Scenario::call_group(Communicator* comm, int iteration, std::vector<Operation> operations,
                          bool grouped) {
  // On each rank the network gets its work in the order of the calls: behind what replays have still to post.
  if (host_ != nullptr) host_->drain();
  const std::vector<uint64_t> ids = note_called(*comm, iteration, operations);
  const bool stuck = is_culprit(options_.inject.stuck_transport, iteration);
  pending_.push_back({comm->call(&api_, operations, {grouped, stuck}), comm, ids});
}

void Scenario::replay_graph(Communicator* comm, int iteration, const Operation& operation) {
  std::shared_ptr<LaunchPlan>& plan = graphs_[{comm, operation.func}];
  if (plan == nullptr) plan = comm->capture(&api_, {operation});
  for (int i = 0; i < options_.work.graph_replay; ++i) {
    const std::vector<uint64_t> ids = note_called(*comm, iteration, {operation});
    const std::shared_ptr<Kernel> kernel = comm->enqueue_replay(plan);
    host_->queue([comm, plan, kernel] { comm->run_host_callback(plan.get(), kernel); });
    pending_.push_back({kernel, comm, ids});
  }
}

std::vector<uint64_t> Scenario::note_called(const Communicator& comm, int iteration,
                                            const std::vector<Operation>& operations) {
  std::vector<uint64_t> ids;
  for (const Operation& operation : operations) {
    const bool late = is_late(iteration);
    const uint64_t ordinal = ordinals_[{comm.id(), operation.func}]++;
    ids.push_back(next_operation_);
    truth_->called({next_operation_++, comm.id(), comm.rank(), operation.func, ordinal,
                    operation.size_bytes, iteration, late ? options_.inject.late_rank : kNobody,
                    late ? options_.inject.late_us : 0, now()});
  }
  return ids;
}

}  // namespace lockstep::driver
