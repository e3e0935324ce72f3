#include "analysis/join/channel_totals.h"

#include <iterator>

namespace lockstep::analysis {
namespace {

constexpr unsigned kChannelBits = 6, kCommunicatorBits = 32;

uint64_t key_of(uint32_t process, uint32_t communicator, uint8_t channel) {
  return (uint64_t{process} << (kChannelBits + kCommunicatorBits) |
          uint64_t{communicator} << kChannelBits | channel) +
         1;
}

int64_t spent(const ProxyWork& work, Stretch one) { return work.spent[static_cast<unsigned>(one)]; }

}  // namespace

ChannelTotals::ChannelTotals(const std::vector<ChannelRow>& rows) {
  for (size_t i = 0; i < rows.size(); ++i)
    at_.set(key_of(rows[i].process, rows[i].communicator, rows[i].channel),
            static_cast<uint32_t>(i));
}

ChannelRow& ChannelTotals::row_of(const Whose& whose, uint8_t channel,
                                  std::vector<ChannelRow>* rows) {
  channel &= (1u << kChannelBits) - 1;  // as in OperationRow::channels_mask
  const uint64_t key = key_of(whose.process, whose.communicator, channel);
  const uint32_t known = at_.find(key);
  if (known != IdMap::kNone) return (*rows)[known];
  at_.set(key, static_cast<uint32_t>(rows->size()));
  ChannelRow& made = rows->emplace_back();
  made.process = whose.process;
  made.communicator = whose.communicator;
  made.rank = whose.rank;
  made.channel = channel;
  return made;
}

void ChannelTotals::add(const ProxyWork& work, const OperationRow& row,
                        std::vector<ChannelRow>* rows) {
  ChannelRow& total = row_of({row.process, row.communicator, row.rank}, work.channel, rows);
  ++total.proxy_ops;
  total.steps += work.steps;
  (work.is_send ? total.sent_bytes : total.received_bytes) += work.bytes;
  total.gpu_wait_ns += spent(work, Stretch::GpuWait);
  total.peer_wait_ns += spent(work, Stretch::PeerWait);
  total.network_ns += spent(work, Stretch::Network);
  total.receive_wait_ns += spent(work, Stretch::ReceiveWait);
  total.flush_ns += spent(work, Stretch::Flush);
}

void ChannelTotals::add(const KernelSpan& kernel, const OperationRow& row,
                        std::vector<ChannelRow>* rows) {
  ++row_of({row.process, row.communicator, row.rank}, kernel.channel, rows).kernels;
}

void ChannelTotals::add(const PhaseSpan& phase, const JoinedComm& comm,
                        std::vector<ChannelRow>* rows) {
  constexpr int64_t ChannelRow::*kTimes[] = {&ChannelRow::initial_sync_ns, &ChannelRow::compute_ns,
                                             &ChannelRow::final_sync_ns};
  if (phase.phase >= std::size(kTimes)) return;
  ChannelRow& total = row_of({0, comm.number, comm.rank}, phase.channel, rows);
  ++total.phases;
  total.*kTimes[phase.phase] += static_cast<int64_t>(phase.gpu_stop - phase.gpu_start);
}

}  // namespace lockstep::analysis
