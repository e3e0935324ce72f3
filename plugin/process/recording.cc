#include "plugin/process/recording.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <new>

#include "base/clock_ns.h"
#include "clocksync/probe/clock_sync.h"
#include "dumper/options/load_config.h"
#include "dumper/options/run_names.h"
#include "dumper/options/this_process.h"
#include "plugin/capture/capture_surroundings.h"
#include "plugin/marks/nvtx_names.h"
#include "plugin/process/clock_options.h"
#include "plugin/process/load_options.h"
#include "plugin/record/marks.h"

namespace lockstep::plugin {
namespace {

// How long end() waits for calls that are already inside; new ones return at once by then.
constexpr unsigned kLastCallsUs = 1000;

void copy_text(char* to, size_t size, const std::string& text) {
  std::snprintf(to, size, "%s", text.c_str());
}

dumper::SyncMode sync_mode(const char* text) {
  if (std::strcmp(text, "chunk") == 0) return dumper::SyncMode::Chunk;
  return std::strcmp(text, "interval") == 0 ? dumper::SyncMode::Interval : dumper::SyncMode::None;
}

}  // namespace

class Recording::Blocks : public dumper::BlockSource {
 public:
  Blocks(Arena& arena, BlockQueue& queue) : arena_(arena), queue_(queue) {}
  ArenaHeader* arena() override { return arena_.header(); }
  BlockHeader* next_full() override { return queue_.pop_full(); }
  BlockHeader* block(uint32_t index) override {
    return arena_.is_reserved(index) ? arena_.block(index) : nullptr;
  }
  uint32_t index_of(const BlockHeader* block) override { return arena_.index_of(block); }
  void recycle(BlockHeader* block) override {
    if (!queue_.push_drained(block)) arena_.release(block);
    recorder.block_returned();
  }
  Anchor anchor_now() override { return take_anchor(); }

 private:
  Arena& arena_;
  BlockQueue& queue_;
};

Recording::Recording() = default;
Recording::~Recording() = default;

bool Recording::prepare(const CommFacts& facts, HostLibrary library) {
  log_ = facts.log;
  library_ = std::move(library);
  dumper::LoadedConfig loaded = dumper::load_config(environ);
  config_ = std::move(loaded.config);
  outputs_.read(environ, config_, &loaded.notices);
  for (const dumper::Notice& notice : loaded.notices)
    log(notice.severity == dumper::Severity::Warning, notice.sentence);
  log(false, dumper::settings_in_words(config_));
  load_chain(facts.abi_version);
  choose_what_to_record(facts.abi_version);

  ArenaOptions options;
  options.cap_bytes = config_.u64(Option::BufferMb) << 20;
  options.crash_safe = config_.flag(Option::CrashSafe);
  options.shm_dir = config_.text(Option::ShmDir);
  choose_tick_clock();
  if (const Status made = arena_.create(options); !made.ok()) {
    log(true, made.message() + "; nothing will be recorded");
    return false;
  }
  if (!arena_.notice().empty()) log(true, arena_.notice());
  fill_header(facts);
  queue_ = std::make_unique<BlockQueue>(arena_.max_blocks());
  keeper_ = std::make_unique<Keeper>(arena_, *queue_);
  blocks_ = std::make_unique<Blocks>(arena_, *queue_);
  dump_ =
      std::make_unique<dumper::DumpThread>(*blocks_, dump_options(), log_from_dump_thread, this);
  outputs_.make(config_, *arena_.header(),
                [this](const std::string& sentence) { log(true, sentence); });
  outputs_.attach(dump_.get());
  dump_->add_consumer(&progress_);
  snapshot_wish_.prepare(config_.is_set(Option::ClockOut) ? config_.text(Option::ClockOut)
                                                          : arena_.header()->run_dir);
  dump_->add_consumer(&snapshot_wish_);

  prepare_services();
  choose_nvtx_domains(config_.text(Option::Nvtx));
  note_early_marks();
  log(false,
      std::string("recording ") + config_.text(Option::Events) + " to " + arena_.header()->run_dir);
  show_to_callbacks();
  return true;
}

void Recording::note_early_marks() {
  const uint64_t early = marks_before_recording.load(std::memory_order_relaxed);
  if (early == 0) return;
  dump_->add_note(std::to_string(early) + (early == 1 ? " mark was" : " marks were") +
                  " made before NCCL initialised and " + (early == 1 ? "is" : "are") +
                  " not recorded");
}

// Nothing may fail any more: what callbacks have seen is never taken away.
void Recording::show_to_callbacks() {
  if (chain_ != nullptr && !chain_->empty()) chain.store(chain_.get(), std::memory_order_release);
  recorder.arena = arena_.header();
  recorder.memory = &arena_;
  recorder.queue = queue_.get();
  recorder.known_kinds = kinds_.known;
  recorder.max_blocks = static_cast<int32_t>(arena_.max_blocks());
  recorder.available.store(recorder.max_blocks, std::memory_order_relaxed);
}

void Recording::choose_what_to_record(int bound_version) {
  KindRequest request;
  request.events = config_.events().kinds;
  request.given = config_.is_set(Option::Events);
  request.needed = outputs_.needed_kinds();
  request.table = bound_version;
  kinds_ = choose_kinds(request, library_);
  for (const std::string& note : kinds_.notes) log(false, note);
}

void Recording::prepare_services() {
  events_.prepare(
      {kinds_.wanted, config_.events().one_in}, kinds_.known,
      [this](const std::string& sentence) { dump_->add_note(sentence); },
      [this](uint32_t now) {
        outputs_.set_kinds(now);
        progress_.set_kinds(now);
      });
  meter_ = std::make_unique<OverheadMeter>(events_, *dump_, outputs_.overhead(),
                                           config_.real(Option::OverheadPercent));
  trace_permit_ = std::make_unique<TracePermit>(
      config_.flag(Option::Stacks), TracePermit::set_tracer,
      [this](const std::string& sentence) { dump_->add_note(sentence); });
  captures_ = std::make_unique<Captures>(
      events_, capture_surroundings({*dump_, outputs_.overhead(), progress_, arena_}),
      static_cast<uint32_t>(config_.u64(Option::CaptureEvents)));
  control_ =
      std::make_unique<Control>(ControlledParts{events_, *keeper_, *dump_, outputs_.overhead(),
                                                progress_, arena_, *trace_permit_, *captures_});
  const Result<CaptureCycle> cycle = parse_capture_cycle(config_.text(Option::CaptureEvery));
  if (!cycle.ok()) log(true, cycle.message());
  if (cycle.ok() && cycle.value().every_ns != 0)
    captures_->set_cycle(cycle.value(), Captures::Now::read());
  keeper_->set_watch([this] { return captures_->look(Captures::Now::read()); });
  keeper_->set_tick([this] {
    events_.end_loan(mono_now_ns());
    meter_->tick();
    outputs_.overhead().memory_high_water_bytes.store(
        uint64_t{keeper_->most_blocks_in_use()} * kBlockBytes, std::memory_order_relaxed);
    if (chain_ != nullptr) chain_->poll_masks();
  });
}

void Recording::load_chain(int bound_version) {
  if (!config_.is_set(Option::Chain)) return;
  chain_ = std::make_unique<Chain>(events_, bound_version);
  for (const std::string& sentence : chain_->load(config_.text(Option::Chain))) log(true, sentence);
  if (outputs_.inspector_files() && chain_->has("Inspector")) {
    outputs_.leave_inspector_files();
    log(false,
        "NCCL_INSPECTOR_ENABLE: the chained Inspector writes its files; lockstep writes none");
  }
  if (outputs_.example_files() && chain_->has("Example-profiler")) {
    outputs_.leave_example_files();
    log(false,
        "NCCL_PROFILE_DUMP_FILE: the chained Example writes its trace; lockstep writes none");
  }
}

void Recording::fill_header(const CommFacts& facts) {
  ArenaHeader* header = arena_.header();
  dumper::fill_process_identity(config_.text(Option::Host), header);
  header->tick_base = tick_clock.base;
  header->created_real_ns = static_cast<uint64_t>(real_now_ns());
  header->abi_version = static_cast<uint32_t>(facts.abi_version);
  header->next_comm.store(1, std::memory_order_relaxed);
  header->next_sequence.store(1, std::memory_order_relaxed);
  header->next_serial.store(1, std::memory_order_relaxed);
  const std::string dir =
      dumper::expand_directory(config_.text(Option::Dir), dumper::process_names(config_, environ));
  copy_text(header->run_dir, sizeof header->run_dir, absolute_path(dir));
  dumper::ProcessFacts process =
      dumper::this_process_facts(*header, config_, tick_clock.counter ? "counter" : "raw");
  process.activation_mask = kinds_.wanted & kinds_.known;
  process.nccl_library = abi::kLibraryNames[static_cast<size_t>(library_.library)];
  process.nccl_version = library_.version;
  process.nccl_file = library_.file;
  process.prometheus_dir = outputs_.prometheus_directory(config_);
  process.notes = kinds_.notes;
  const std::string text = facts_to_json(process);
  const size_t bytes = text.size() < sizeof header->facts ? text.size() : 0;
  std::memcpy(header->facts, text.data(), bytes);
  header->facts_bytes.store(static_cast<uint32_t>(bytes), std::memory_order_release);
}

dumper::DumpOptions Recording::dump_options() const {
  const ArenaHeader* header = arena_.header();
  dumper::DumpOptions options;
  options.segments.directory = header->run_dir;
  options.segments.host = header->host;
  options.segments.pid = header->pid;
  options.segments.process_uid = header->process_uid;
  options.segments.tick_base = header->tick_base;
  options.segments.rotate_bytes = config_.u64(Option::RotateMb) << 20;
  options.segments.max_disk_bytes = config_.u64(Option::MaxDiskMb) << 20;
  options.segments.sync = sync_mode(config_.text(Option::Sync));
  options.facts.assign(header->facts, header->facts_bytes.load(std::memory_order_relaxed));
  options.arena_path = arena_.path();
  options.overhead = &outputs_.overhead();
  options.zstd_level = static_cast<int>(config_.u64(Option::ZstdLevel));
  return options;
}

void Recording::resume() {
  if (running_ || ended_) return;
  running_ = true;
  recorder.strings_epoch.fetch_add(1, std::memory_order_relaxed);
  arena_.header()->ended.store(0, std::memory_order_relaxed);
  dumper::DumpThread* dump = dump_.get();
  if (!keeper_->start(outputs_.dump_interval_us(config_), [dump] { dump->wake(); })) {
    log(true,
        "cannot create a thread: buffers stay small and are written when the last communicator "
        "ends");
  } else if (!dump_->start()) {
    log(true, "cannot create a thread: records are written when the last communicator ends");
  }
  const Status by_signal =
      flush_signal_.start(config_.text(Option::Signal), [this] { flush_by_signal(); });
  if (!by_signal.ok()) log(true, by_signal.message());
  const ArenaHeader& arena = *arena_.header();
  const Status control = control_socket_.start(
      arena.run_dir, std::string(arena.host) + "." + std::to_string(arena.pid) + ".ctl",
      [this](const std::string& request, pid_t asker) { return control_->answer(request, asker); },
      [this] { return trace_permit_->check(mono_now_ns()); });
  if (!control.ok()) log(false, control.message());
  sample_host();
}

void Recording::flush_by_signal() const {
  const bool flushed = dump_->flush(kLongestFlushUs);
  log(!flushed, flushed ? "the signal came, and everything recorded before it is written"
                        : "not everything is written five seconds after the signal: the disk is "
                          "slow or full");
}

// What memory there is belongs to the recording: it goes on without the sampler.
void Recording::sample_host() {
  if (!config_.flag(Option::HostLoad)) return;
  try {
    hostload::HostLoadOptions options = load_options(*arena_.header(), arena_.path(), config_);
    options.log = [this](const std::string& sentence) { log(true, sentence); };
    const Status started = host_load_.start(std::move(options));
    if (!started.ok()) log(true, started.message());
  } catch (const std::bad_alloc&) {
  }
}

// Those that could switch recording on again.
void Recording::stop_services() {
  control_socket_.stop();
  flush_signal_.stop();
  trace_permit_->withdraw();
  keeper_->stop();
  captures_->end(Captures::Now::read());
  events_.end();
}

void Recording::teardown_begins() {
  if (!snapshot_wish_.make()) return;
  try {
    dump_->add_note("a communicator is torn down for the first time: a report is asked for");
  } catch (const std::bad_alloc&) {
  }
  dump_->wake();
}

void Recording::probe_clocks(const CommFacts& facts) {
  const ClockFacts clock_facts = {arena_.header()->host, arena_.header()->run_dir, facts.nodes};
  if (probing_clocks_ || !wants_clock_probes(config_, clock_facts)) return;
  clocksync::ClockSyncOptions options = clock_options(config_, clock_facts);
  options.log = [this](const std::string& sentence) { log(true, sentence); };
  const Status started = clocksync::start_clock_sync(options);
  if (!started.ok()) log(true, started.message());
  probing_clocks_ = true;
}

void Recording::snapshot_gpu(uint32_t comm) {
  if (std::strcmp(config_.text(Option::GpuClock), "active") != 0) return;
  const ArenaHeader& arena = *arena_.header();
  const ClockFacts facts = {arena.host, arena.run_dir, 0};
  const clocksync::ClockSyncOptions clocks = clock_options(config_, facts);
  gpu_snapshots_.add_current_gpu(
      {config_.text(Option::Cupti), facts.run_directory,
       facts.host + ".gpu" + std::to_string(arena.pid), clocks.snapshot_ms,
       [this](const std::string& sentence) { log(true, sentence); }},
      comm);
}

void Recording::pause() {
  if (!running_) return;
  running_ = false;
  gpu_snapshots_.stop();
  host_load_.stop();
  if (probing_clocks_) clocksync::stop_clock_sync();
  probing_clocks_ = false;
  stop_services();
  note_missed_by_chain();
  dump_->finish();
  keeper_->give_back();
  arena_.header()->ended.store(1, std::memory_order_release);
}

void Recording::note_missed_by_chain() {
  if (chain_ == nullptr || chain_->unmapped() == 0) return;
  try {
    dump_->add_note("chained plugins missed " + std::to_string(chain_->unmapped()) +
                    " events: too many were open at once");
  } catch (const std::bad_alloc&) {
  }
}

void Recording::end() {
  if (ended_) return;
  ended_ = true;
  events_.end();
  stop_services();
  const bool calls_go_on = running_ && !arena_.path().empty() && other_recording_threads() > 0;
  if (calls_go_on) {
    dump_->leave_end_to_recovery();
  } else {
    recorder.gate.store(0, std::memory_order_relaxed);
    usleep(kLastCallsUs);
  }
  if (running_) {
    pause();
  } else {
    dump_->finish();  // what came after the last finalize
  }
  const std::string unwritten = dump_->close();
  outputs_.close();
  if (calls_go_on) {
    keeper_->give_back_for_exit();  // so that little lies there until somebody recovers it
    arena_.header()->ended.store(0, std::memory_order_release);
  }
  if (unwritten.empty() && !calls_go_on) return arena_.unlink_file();
  const std::string why =
      unwritten.empty() ? "the process exits while threads are still at work in NCCL" : unwritten;
  log(!unwritten.empty(),
      why + "; the last records " +
          (arena_.path().empty() ? "are lost, because crash safety is off"
                                 : "are in " + arena_.path() + " until `lockstep recover " +
                                       arena_.header()->run_dir + "` writes them"));
}

void Recording::begin_comm(uint32_t comm, int32_t* activation_mask) {
  outputs_.begin_comm(comm);
  events_.begin(activation_mask);
  captures_->open_to_program();
}

void Recording::note_init(int64_t took_ns) {
  outputs_.overhead().init_ns.store(static_cast<uint64_t>(took_ns), std::memory_order_relaxed);
}

void Recording::log(bool warning, const std::string& sentence) const {
  if (log_ != nullptr) {
    log_(warning ? abi::kLogWarn : abi::kLogInfo,
         warning ? abi::kLogAll : abi::kLogInit | abi::kLogProfile, "lockstep", 0, "lockstep: %s",
         sentence.c_str());
  }
  if (log_ == nullptr ? warning : config_.flag(Option::Verbose))
    std::fprintf(stderr, "lockstep: %s\n", sentence.c_str());
}

void Recording::log_from_dump_thread(void* self, const std::string& sentence) {
  static_cast<const Recording*>(self)->log(true, sentence);
}

}  // namespace lockstep::plugin
