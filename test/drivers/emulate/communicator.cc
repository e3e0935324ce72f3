#include "test/drivers/emulate/communicator.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace lockstep::driver {
namespace {

uint64_t edge_key(uint64_t comm_id, int channel) {
  return comm_id * 1000003 + static_cast<uint64_t>(channel);
}

}  // namespace

Communicator::Communicator(Plugin* plugin, Bootstrap* bootstrap, const EmulateOptions& options,
                           const GpuClock* gpu, CommunicatorOptions facts,
                           std::shared_ptr<Progress> progress)
    : plugin_(plugin),
      bootstrap_(bootstrap),
      options_(options),
      facts_(std::move(facts)),
      stream_(gpu),
      progress_(std::move(progress)),
      gpu_(gpu) {
  const auto me = std::find(facts_.members.begin(), facts_.members.end(), bootstrap->rank());
  rank_ = static_cast<int>(me - facts_.members.begin());
  context_ = facts_.context;
  if (ranks() == 1) return;
  connect_all();
  if (progress_ == nullptr)
    progress_ = std::make_shared<Progress>(plugin_, context_, options_, bootstrap->rank());
  progress_->add_stream(&stream_);
}

Communicator::~Communicator() {
  destroy(Ending::Abort);
  for (auto& [where, edge] : edges_) {
    if (edge.send.fd >= 0) close(edge.send.fd);
    if (edge.receive.fd >= 0) close(edge.receive.fd);
  }
}

// Connecting needs no accept on the other side, so everybody may connect first and accept
// afterwards.
void Communicator::connect_all() {
  const bool mesh = options_.work.alltoall;
  std::vector<std::pair<int, int>> wanted;
  for (int distance = 1; distance < ranks(); ++distance) {
    if (!mesh && distance != 1 && distance != ranks() - 1) continue;
    for (int channel = 0; channel < facts_.channels; ++channel)
      wanted.emplace_back((rank_ + distance) % ranks(), channel);
  }
  for (const auto& [peer, channel] : wanted) {
    const int world_rank = facts_.members[static_cast<size_t>(peer)];
    edge(peer, channel).send.fd = bootstrap_->connect_to(world_rank, edge_key(facts_.id, channel));
  }
  for (const auto& [peer, channel] : wanted) {
    const int world_rank = facts_.members[static_cast<size_t>(peer)];
    Edge& made = edge(peer, channel);
    made.receive.fd = bootstrap_->accept_from(world_rank, edge_key(facts_.id, channel));
    complete_ = complete_ && made.receive.fd >= 0 && made.send.fd >= 0;
  }
}

void Communicator::destroy(Ending ending) {
  if (destroyed_) return;
  destroyed_ = true;
  if (progress_ != nullptr) {
    if (ending == Ending::Abort)
      progress_->abort();
    else if (progress_.use_count() == 1)
      progress_->drain_and_stop();
    progress_->remove_stream(&stream_);
    progress_.reset();
  }
  plugin_->finalize(context_);
}

void Communicator::pair_works(std::vector<Task>* tasks) {
  const Task* before = nullptr;
  size_t next = 0;
  for (Task& task : *tasks) {
    task.completes_pair = before != nullptr && is_p2p(task.operation) &&
                          is_p2p(before->operation) && before->plan.send.steps > 0 &&
                          task.plan.receive.steps > 0 &&
                          before->plan.channels == task.plan.channels;
    task.first_work = task.completes_pair ? before->first_work : next;
    if (!task.completes_pair) next += static_cast<size_t>(task.plan.channels);
    before = task.completes_pair ? nullptr : &task;
  }
}

std::shared_ptr<Kernel> Communicator::make_kernel(const LaunchPlan& plan) {
  auto kernel = std::make_shared<Kernel>();
  for (const Task& task : plan.tasks) {
    for (int channel = 0; channel < task.plan.channels; ++channel) {
      if (!task.completes_pair) kernel->works.push_back(std::make_shared<Work>());
      Work& work = *kernel->works[task.first_work + static_cast<size_t>(channel)];
      work.recv_steps += task.plan.receive.steps;
      work.send_steps += task.plan.send.steps;
      work.lead = task.plan.lead;
    }
  }
  return kernel;
}

PostedOp Communicator::posted_op(const Task& task, int channel) const {
  PostedOp op;
  op.mask = task.mask;
  op.context = context_;
  op.parent = task.handle;
  op.rank = rank_;
  op.channel = static_cast<uint8_t>(channel);
  op.chunk_bytes = task.plan.chunk_bytes;
  op.tag = task.tag;
  return op;
}

// Per task and channel: the receive, the send, and the watch on the kernel's channel.
void Communicator::post(const LaunchPlan& plan, const Kernel& kernel, bool stuck) {
  std::vector<PostedOp> ops;
  for (const Task& task : plan.tasks) {
    const bool p2p = is_p2p(task.operation);
    for (int channel = 0; channel < task.plan.channels; ++channel) {
      PostedOp op = posted_op(task, channel);
      op.work = kernel.works[task.first_work + static_cast<size_t>(channel)];
      for (const ProxyWork what : {ProxyWork::Receive, ProxyWork::Send}) {
        const bool send = what == ProxyWork::Send;
        const ChannelPlan& edge_plan = send ? task.plan.send : task.plan.receive;
        if (edge_plan.steps == 0) continue;
        op.what = what;
        op.stuck = stuck && send;
        op.peer = p2p ? task.operation.peer : (rank_ + (send ? 1 : ranks() - 1)) % ranks();
        op.steps = edge_plan.steps;
        op.slice_bytes = edge_plan.slice_bytes;
        op.total_bytes = edge_plan.total_bytes;
        Edge& where = edge(op.peer, channel);
        op.link = send ? &where.send : &where.receive;
        ops.push_back(op);
      }
      op.what = ProxyWork::WatchKernel;
      op.link = nullptr;
      if ((task.mask & abi::kKernelCh) != 0) ops.push_back(op);
    }
  }
  if (!ops.empty()) progress_->post(ops);
}

}  // namespace lockstep::driver
