#include "dumper/drain/ledger_writer.h"

namespace lockstep::dumper {
namespace {

constexpr size_t kMostNotes = 1000;  // minutes of a few a second; later changes go unnoted

class Lock {
 public:
  explicit Lock(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  ~Lock() { pthread_mutex_unlock(&mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

}  // namespace

LedgerWriter::LedgerWriter(BlockSource& source, SegmentWriter& writer, const Overhead* overhead)
    : source_(source), writer_(writer), overhead_(overhead), shed_(source.anchor_now().raw_ns) {}

void LedgerWriter::add_note(const std::string& note) {
  const Lock lock(notes_mutex_);
  if (notes_.size() < kMostNotes) notes_.push_back(note);
}

std::string LedgerWriter::look_at_shedding() {
  uint64_t calls = 0;
  for (const LossEntry& entry : source_.arena()->losses) {
    const uint64_t key = entry.key.load(std::memory_order_relaxed);
    if (key != 0 && loss_why(key) == Loss::Memory)
      calls += entry.count.load(std::memory_order_relaxed);
  }
  return shed_.look(calls, source_.anchor_now().raw_ns);
}

Ledger LedgerWriter::make_ledger() {
  const ArenaHeader& arena = *source_.arena();
  Ledger ledger;
  for (const LossEntry& entry : arena.losses) {
    const uint64_t key = entry.key.load(std::memory_order_relaxed);
    const uint64_t count = entry.count.load(std::memory_order_relaxed);
    // The last communicator may have two entries for one key: its own and those that overflowed.
    if (key != 0 && count != 0) ledger.losses[key] += count;
  }
  for (unsigned cell = 0; cell < kCallCells; ++cell) {
    if (const std::atomic<uint64_t>* calls = calls_without_block(arena, cell))
      ledger.calls_without_block[cell] = calls->load(std::memory_order_relaxed);
  }
  ledger.shed_from_raw_ns = shed_.from_raw_ns();
  ledger.shed_to_raw_ns = shed_.to_raw_ns();
  ledger.take_unknown(arena);
  ledger.raw_ns = source_.anchor_now().raw_ns;
  if (overhead_ != nullptr) {
    ledger.init_ns = overhead_->init_ns.load(std::memory_order_relaxed);
    ledger.elapsed_ns = overhead_->elapsed_ns.load(std::memory_order_relaxed);
    ledger.callbacks_ns = overhead_->callbacks_ns.load(std::memory_order_relaxed);
    ledger.threads_ns = overhead_->threads_ns.load(std::memory_order_relaxed);
    ledger.memory_high_water_bytes =
        overhead_->memory_high_water_bytes.load(std::memory_order_relaxed);
    for (unsigned kind = 0; kind <= kKinds; ++kind)
      ledger.most_waiting_bytes[kind] =
          overhead_->most_waiting_bytes[kind].load(std::memory_order_relaxed);
  }
  const Lock lock(notes_mutex_);
  ledger.notes = notes_;
  return ledger;
}

uint64_t LedgerWriter::total_losses(const Ledger& ledger) {
  uint64_t total = 0;
  for (const auto& [key, count] : ledger.losses) total += count;
  return total;
}

bool LedgerWriter::is_news(const Ledger& ledger) const {
  return total_losses(ledger) != losses_told_ || ledger.notes.size() != notes_told_;
}

void LedgerWriter::remember(const Ledger& ledger) {
  losses_told_ = total_losses(ledger);
  notes_told_ = ledger.notes.size();
}

Status LedgerWriter::write_news() {
  const Ledger ledger = make_ledger();
  if (!is_news(ledger)) return Status();
  Status status = writer_.append_ledger(ledger);
  if (status.ok()) remember(ledger);
  return status;
}

Status LedgerWriter::write_end() {
  const Ledger ledger = make_ledger();
  if (!end_owed_ && !is_news(ledger)) return Status();
  Status status = writer_.append_end(ledger);
  if (!status.ok()) return status;
  remember(ledger);
  end_owed_ = false;
  return status;
}

Status LedgerWriter::write_exit() {
  Ledger ledger = make_ledger();
  ledger.exited = true;
  Status status = writer_.append_ledger(ledger);
  if (status.ok()) remember(ledger);
  return status;
}

}  // namespace lockstep::dumper
