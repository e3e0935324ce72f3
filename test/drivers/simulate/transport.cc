#include "test/drivers/simulate/transport.h"

#include <algorithm>

namespace lockstep::simulate {
namespace {

constexpr int64_t kFlushNs = 700, kEndNs = 1'000;

// Step n over the edge, once all steps before it are known.
StepTimes next_step(const TransportMember& sender, const TransportMember& receiver,
                    const TransportEdge& edge, const TransportShape& shape, uint32_t n,
                    const StepTimes* earlier, int64_t input_ns) {
  const StepTimes* const before = n > 0 ? &earlier[n - 1] : nullptr;
  const StepTimes* const freed = n >= shape.credits ? &earlier[n - shape.credits] : nullptr;
  StepTimes step{};
  step.posted_ns = freed != nullptr ? freed->acknowledged_ns : sender.posted_ns;
  step.ready_ns = std::max({sender.begun_ns, step.posted_ns, input_ns,
                            before != nullptr ? before->ready_ns : 0}) +
                  sender.gpu_ns;
  step.awaited_ns = freed != nullptr ? freed->consumed_ns : receiver.posted_ns;
  step.offered_ns = step.ready_ns + edge.sender_ns;
  step.sent_ns =
      std::max({step.offered_ns, step.awaited_ns + edge.latency_ns,
                before != nullptr ? before->sent_ns + edge.wire_ns + edge.sender_ns : 0});
  const bool lost = sender.data_stops && n >= shape.steps / 2;
  const int64_t again_ns = n == edge.lost_step ? edge.loss_ns : 0;
  step.arrived_ns = lost ? kNever
                         : std::max(step.sent_ns + edge.wire_ns + edge.latency_ns + again_ns,
                                    before != nullptr ? before->arrived_ns : 0);
  step.acknowledged_ns = step.arrived_ns + edge.latency_ns;
  step.flushed_ns = step.arrived_ns + edge.receiver_ns + kFlushNs;
  step.consumed_ns = std::max(step.flushed_ns, receiver.begun_ns) + receiver.gpu_ns;
  return step;
}

std::vector<std::vector<size_t>> children_of(const std::vector<size_t>& parents) {
  std::vector<std::vector<size_t>> children(parents.size());
  for (size_t i = 0; i < parents.size(); ++i) {
    if (parents[i] < parents.size()) children[parents[i]].push_back(i);
  }
  return children;
}

// Members, each after its parent.
std::vector<size_t> from_the_root(const std::vector<size_t>& parents,
                                  const std::vector<std::vector<size_t>>& children) {
  std::vector<size_t> found;
  for (size_t i = 0; i < parents.size(); ++i) {
    if (parents[i] >= parents.size()) found.push_back(i);
  }
  for (size_t done = 0; done < parents.size(); ++done) {
    const std::vector<size_t>& below = children[found[done]];
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

}  // namespace

void play_ring(const std::vector<TransportMember>& members, const std::vector<TransportEdge>& edges,
               const TransportShape& shape, TransportTimes* times) {
  const size_t count = members.size();
  times->steps = shape.steps;
  times->edges.resize(count * shape.steps);
  for (uint32_t n = 0; n < shape.steps; ++n) {
    const bool needs_input = shape.behind != 0 && n % shape.steps_of_loop >= shape.behind;
    for (size_t i = 0; i < count; ++i) {
      const size_t from = (i + count - 1) % count;
      const int64_t input_ns =
          needs_input ? times->edges[from * shape.steps + n - shape.behind].consumed_ns : 0;
      StepTimes* const steps = &times->edges[i * shape.steps];
      steps[n] =
          next_step(members[i], members[(i + 1) % count], edges[i], shape, n, steps, input_ns);
    }
  }
  times->ends_ns.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t from = (i + count - 1) % count;
    times->ends_ns[i] = std::max(times->at(from, shape.steps - 1).consumed_ns,
                                 times->at(i, shape.steps - 1).ready_ns) +
                        kEndNs;
  }
}

void play_chain(const std::vector<TransportMember>& members,
                const std::vector<TransportEdge>& edges, size_t first, const TransportShape& shape,
                TransportTimes* times) {
  const size_t count = members.size();
  times->steps = shape.steps;
  times->edges.assign(count * shape.steps, StepTimes());
  times->ends_ns.resize(count);
  int64_t taken_ns = 0;  // the last step that the member before has sent
  for (size_t place = 0; place < count; ++place) {
    const size_t i = (first + place) % count, from = (i + count - 1) % count;
    StepTimes* const steps = &times->edges[i * shape.steps];
    for (uint32_t n = 0; n < shape.steps && place + 1 < count; ++n) {
      const int64_t input_ns = place == 0 ? 0 : times->at(from, n).consumed_ns;
      steps[n] =
          next_step(members[i], members[(i + 1) % count], edges[i], shape, n, steps, input_ns);
    }
    const int64_t given_ns = place + 1 < count ? steps[shape.steps - 1].ready_ns : 0;
    times->ends_ns[i] = std::max({members[i].begun_ns, taken_ns, given_ns}) + kEndNs;
    taken_ns = steps[shape.steps - 1].consumed_ns;
  }
}

void play_tree(const std::vector<TransportMember>& members, const std::vector<TransportEdge>& edges,
               const std::vector<size_t>& parents, const TransportShape& shape,
               TransportTimes* times) {
  const size_t count = members.size();
  times->steps = shape.steps;
  times->edges.assign(2 * count * shape.steps, StepTimes());
  const std::vector<std::vector<size_t>> children = children_of(parents);
  const std::vector<size_t> down = from_the_root(parents, children);
  const auto at = [&](size_t edge, uint32_t n) -> StepTimes& {
    return times->edges[edge * shape.steps + n];
  };
  // The sender's GPU takes up what feeds this step as it makes it ready.
  const auto send = [&](size_t edge, size_t from, size_t to, uint32_t n, int64_t input_ns) {
    StepTimes* const steps = &times->edges[edge * shape.steps];
    steps[n] = next_step(members[from], members[to], edges[edge], shape, n, steps, input_ns);
    return steps[n].ready_ns;
  };
  for (uint32_t n = 0; n < shape.steps; ++n) {
    for (auto member = down.rbegin(); member != down.rend(); ++member) {
      const size_t i = *member;
      int64_t all_came_ns = 0;
      for (size_t child : children[i])
        all_came_ns = std::max(all_came_ns, at(2 * child, n).flushed_ns);
      if (i == down[0]) {
        at(2 * i + 1, n).flushed_ns = all_came_ns;  // as if from a parent
        break;
      }
      const int64_t taken_ns = send(2 * i, i, parents[i], n, all_came_ns);
      for (size_t child : children[i]) at(2 * child, n).consumed_ns = taken_ns;
    }
    for (size_t i : down) {
      int64_t came_ns = at(2 * i + 1, n).flushed_ns;
      // It needs room for all that it sends at once.
      for (size_t child : children[i]) {
        if (n < shape.credits) break;
        came_ns = std::max(came_ns, at(2 * child + 1, n - shape.credits).acknowledged_ns);
      }
      int64_t taken_ns = std::max(came_ns, members[i].begun_ns) + members[i].gpu_ns;
      for (size_t child : children[i])
        taken_ns = std::max(taken_ns, send(2 * child + 1, i, child, n, came_ns));
      at(2 * i + 1, n).consumed_ns = taken_ns;
    }
    for (size_t child : children[down[0]])
      at(2 * child, n).consumed_ns = at(2 * down[0] + 1, n).consumed_ns;
  }
  // The last that a kernel does is to take up what comes down, or at the root to send it.
  times->ends_ns.resize(count);
  for (size_t i = 0; i < count; ++i)
    times->ends_ns[i] = at(2 * i + 1, shape.steps - 1).consumed_ns + kEndNs;
}

void play_transfer(const std::vector<TransportMember>& members, const TransportEdge& edge,
                   const TransportShape& shape, TransportTimes* times) {
  times->steps = shape.steps;
  times->edges.resize(shape.steps);
  StepTimes* const steps = times->edges.data();
  for (uint32_t n = 0; n < shape.steps; ++n)
    steps[n] = next_step(members[0], members[1], edge, shape, n, steps, 0);
  times->ends_ns = {steps[shape.steps - 1].ready_ns + kEndNs,
                    steps[shape.steps - 1].consumed_ns + kEndNs};
}

}  // namespace lockstep::simulate
