#include "clocksync/probe/packet_sender.h"

#include <time.h>

#include "base/clock_ns.h"

namespace lockstep::clocksync {
namespace {

// Trains due this soon are sent together: one wake-up, one wait between the packets.
constexpr int64_t kTogetherNs = 1'000'000;
constexpr size_t kMostTogether = 16;
// A gap up to this long is spent spinning, a longer one sleeping (and is then not exact).
constexpr uint32_t kLongestSpinUs = 60;
constexpr int kGoodbyes = 3;

void pause_between_packets(int64_t start_mono_ns, uint32_t spacing_us) {
  const int64_t until_mono_ns = start_mono_ns + int64_t{spacing_us} * 1000;
  if (spacing_us > kLongestSpinUs) {
    const timespec gap = {0, static_cast<long>(spacing_us) * 1000L};
    nanosleep(&gap, nullptr);
    return;
  }
  while (mono_now_ns() < until_mono_ns) {
  }
}

}  // namespace

bool PacketSender::send_due_trains(const Peers& peers, int64_t mono_ns) {
  std::vector<Peer*> due;
  bool any_due_now = false;
  for (const auto& [id, peer] : peers) {
    const int64_t next_mono_ns = peer->next_train_mono_ns();
    if (next_mono_ns > mono_ns + kTogetherNs || due.size() == kMostTogether) continue;
    due.push_back(peer.get());
    any_due_now = any_due_now || next_mono_ns <= mono_ns;
  }
  if (!any_due_now) return false;
  for (Peer* peer : due) peer->begin_train(mono_ns);
  send_trains(due);
  return true;
}

// Packet by packet through all the trains, so that their gaps pass at the same time.
void PacketSender::send_trains(const std::vector<Peer*>& due) {
  for (uint8_t index = 0; index < setup_.train_length; ++index) {
    const int64_t start_mono_ns = mono_now_ns();
    for (Peer* peer : due) {
      if (!guard_->may_send(start_mono_ns)) continue;
      const size_t socket = ProbePaths::train_socket(peer->via().index, peer->path());
      PacketBytes bytes;
      peer->write_probe(index, paths_->kernel_stamps(socket), clock_.raw_ns(), &bytes);
      paths_->send(socket, bytes, peer->address());
    }
    if (index + 1 < setup_.train_length) pause_between_packets(start_mono_ns, setup_.spacing_us);
  }
}

void PacketSender::greet_if_due(Peer* peer, const Endpoint& to, int64_t mono_ns) {
  if (!peer->hello_due(mono_ns) || !guard_->may_send(mono_ns)) return;
  PacketBytes bytes;
  peer->write_hello(&bytes, clock_.raw_ns());
  paths_->send(ProbePaths::known_socket(peer->via().index), bytes, to);
  peer->hello_sent(mono_ns);
}

void PacketSender::answer_greeting(Peer* peer, const Endpoint& to, int64_t mono_ns) {
  if (!peer->take_turn_to_answer(mono_ns)) return;
  PacketBytes bytes;
  peer->write_hello_ack(&bytes, clock_.raw_ns());
  paths_->send(ProbePaths::known_socket(peer->via().index), bytes, to);
}

void PacketSender::say_goodbye(const Peers& peers) {
  for (int i = 0; i < kGoodbyes; ++i) {
    for (const auto& [id, peer] : peers) {
      if (!peer->wants_goodbye()) continue;
      PacketBytes bytes;
      peer->write_bye(&bytes, clock_.raw_ns());
      paths_->send(ProbePaths::known_socket(peer->via().index), bytes, peer->address());
    }
  }
}

}  // namespace lockstep::clocksync
