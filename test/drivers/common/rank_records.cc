#include "test/drivers/common/rank_records.h"

namespace lockstep::driver {
namespace {

void put(std::vector<uint64_t>* out, std::initializer_list<uint64_t> words) {
  out->insert(out->end(), words);
}

constexpr uint64_t strings2(unsigned a, unsigned b) { return uint64_t{a} | uint64_t{b} << 16; }

}  // namespace

void RankRecords::init(uint64_t at_ns) {
  put(&user,
      {make_word0(kCommInitTag, at_ns), comm_, comm_id_, rank_word(static_cast<uint32_t>(ranks_)),
       uint64_t{1} | uint64_t{6} << 32 | uint64_t{strings_.number("world")} << 48});
}

void RankRecords::finalize(uint64_t at_ns) {
  put(&user, {make_word0(kCommFinalizeTag, at_ns), comm_});
}

EventId RankRecords::begin_call(const RankOperation& op, bool p2p, EventId* group) {
  const Kind kind = p2p ? Kind::P2pApi : Kind::CollApi;
  *group = next(Kind::GroupApi);
  const EventId api = next(kind);
  const uint64_t names = strings2(strings_.number(op.func), strings_.number("ncclFloat32"));
  put(&user, {make_word0(start_tag(Kind::GroupApi), op.call_ns), *group, 0, rank_word(1)});
  put(&user, {make_word0(start_tag(kind), op.call_ns + 100), api, *group, rank_word(0), op.count,
              names, op.stream});
  user.push_back(0);  // userTag
  put(&user, {make_word0(stop_tag(kind), op.call_ns + 400), api});
  return api;
}

void RankRecords::call_only(const RankOperation& op) {
  EventId group = 0;
  begin_call(op, false, &group);
  put(&user, {make_word0(stop_tag(Kind::GroupApi), op.call_ns + 900), group});
}

void RankRecords::operation(const RankOperation& op) {
  const bool p2p = op.func == "Send" || op.func == "Recv";
  EventId group = 0;
  const EventId api = begin_call(op, p2p, &group);
  const EventId launch = next(Kind::KernelLaunch);
  const EventId own = next(p2p ? Kind::P2p : Kind::Coll);
  put(&user, {make_word0(start_tag(Kind::KernelLaunch), op.call_ns + 500), launch, group,
              rank_word(0), op.stream});
  put(&user, {make_word0(stop_tag(Kind::KernelLaunch), op.call_ns + 700), launch});
  const uint64_t names = strings2(strings_.number(op.func), strings_.number("ncclFloat32"));
  const uint64_t algo = strings2(strings_.number(op.algo), strings_.number("SIMPLE")) << 32;
  if (p2p) {
    put(&user,
        {make_word0(start_tag(Kind::P2p), op.call_ns + 800), own, api, rank_word(op.channels), 0,
         op.count, 0, names | uint64_t{static_cast<uint32_t>(op.peer)} << 32, 0});
  } else {
    put(&user, {make_word0(start_tag(Kind::Coll), op.call_ns + 800), own, api,
                rank_word(op.channels | 8u << 8), 0, op.sequence, op.count, 0x1000, 0x2000,
                names | algo, 0, 0, 0, 0});
  }
  put(&user, {make_word0(stop_tag(p2p ? Kind::P2p : Kind::Coll), op.call_ns + 900), own});
  put(&user, {make_word0(stop_tag(Kind::GroupApi), op.call_ns + 950), group});

  for (unsigned channel = 0; channel < op.channels; ++channel) {
    if (op.network_operations && (!p2p || op.func == "Recv")) network(op, own, channel, false);
    if (op.network_operations && (!p2p || op.func == "Send")) network(op, own, channel, true);
    const EventId kernel = next(Kind::KernelCh);
    put(&proxy, {make_word0(start_tag(Kind::KernelCh), op.kernel_ns + 2'000), kernel, own,
                 rank_word(channel), op.kernel_ns});
    if (op.finish_ns == 0) continue;
    put(&proxy, {make_word0(state_tag(kKernelChStop), op.finish_ns + 2'000), kernel, op.finish_ns});
    put(&proxy, {make_word0(stop_tag(Kind::KernelCh), op.finish_ns + 2'000), kernel});
  }
}

void RankRecords::network(const RankOperation& op, EventId parent, unsigned channel, bool send) {
  const bool differ = !op.on_channels.empty();
  const OnChannel here = differ ? op.on_channels[channel]
                                : OnChannel{op.next, op.previous, op.sent_ns, op.received_ns};
  const int32_t named = send ? here.next : here.previous;
  if (differ && named < 0) return;
  const EventId work = next(Kind::ProxyOp);
  const int32_t neighbour = named >= 0 ? named
                            : send     ? (rank_ + 1) % ranks_
                                       : (rank_ + ranks_ - 1) % ranks_;
  const int32_t peer = op.func == "Send" || op.func == "Recv" ? op.peer : neighbour;
  const uint64_t begin = op.call_ns + 1'500;
  put(&proxy,
      {make_word0(start_tag(Kind::ProxyOp), begin), work, parent, rank_word(pid_),
       uint64_t{static_cast<uint32_t>(peer)} | uint64_t{channel} << 32 | uint64_t{send} << 40,
       op.steps});
  put(&proxy, {make_word0(state_tag(kProxyOpInProgress), begin + 100), work});
  const uint64_t end = op.finish_ns != 0 ? op.finish_ns : op.kernel_ns + 1'000'000;
  const uint64_t network = op.network_ns != 0 ? op.network_ns : (end - op.kernel_ns) / 10;
  const uint64_t come = network / 2 + op.proxy_late_ns, done = 250 + network + op.proxy_late_ns;
  for (unsigned step = 0; step < op.steps; ++step) {
    const EventId id = next(Kind::ProxyStep);
    const uint64_t at = op.kernel_ns + (end - op.kernel_ns) * step / (op.steps + 1);
    put(&proxy, {make_word0(start_tag(Kind::ProxyStep), at), id, work, rank_word(step)});
    put(&proxy, {make_word0(state_tag(send ? kSendGpuWait : kRecvWait), at + 50), id});
    if (op.finish_ns == 0 && step + 1 == op.steps) {
      if (send) put(&proxy, {make_word0(state_tag(kSendWait), at + 100), id, 8192});
      return;
    }
    if (send) {
      put(&proxy, {make_word0(state_tag(kSendPeerWait), at + 200), id});
      put(&proxy, {make_word0(state_tag(kSendWait), at + 250), id, 8192});
    } else {
      put(&proxy, {make_word0(state_tag(kRecvFlushWait), at + come), id, 8192});
      put(&proxy, {make_word0(state_tag(kRecvGpuWait), at + come + 50), id});
    }
    put(&proxy, {make_word0(stop_tag(Kind::ProxyStep), at + done), id});
  }
  const uint64_t own_end = send ? here.sent_ns : here.received_ns;
  if (op.finish_ns != 0)
    put(&proxy,
        {make_word0(stop_tag(Kind::ProxyOp), (own_end != 0 ? own_end : op.finish_ns) + 1'000),
         work});
}

}  // namespace lockstep::driver
