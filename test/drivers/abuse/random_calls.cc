#include <mutex>
#include <random>
#include <thread>

#include "test/drivers/abuse/abuse.h"

namespace lockstep::driver {
namespace {

// Handles and contexts that any thread may use again, stale ones included.
class Shared {
 public:
  void put(std::vector<void*>* pool, void* value) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (pool->size() < 4096) {
      pool->push_back(value);
    } else {
      (*pool)[next_++ % pool->size()] = value;
    }
  }
  void* any(const std::vector<void*>& pool, uint64_t random) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return pool.empty() ? nullptr : pool[random % pool.size()];
  }
  std::vector<void*> handles, contexts;

 private:
  std::mutex mutex_;
  size_t next_ = 0;
};

class Caller {
 public:
  Caller(Victim& victim, Shared& shared, uint64_t seed)
      : victim_(victim), shared_(shared), random_(seed) {}

  void call() {
    const uint64_t dice = random_() % 1000;
    if (dice < 2) return shared_.put(&shared_.contexts, victim_.init(random_() % 100));
    if (dice < 3) return victim_.finalize(context());
    if (dice < 400) return start();
    if (dice < 700) return record();
    victim_.stop(handle());
  }

 private:
  void* garbage() { return reinterpret_cast<void*>(random_()); }
  void* handle() {
    return random_() % 50 == 0 ? garbage() : shared_.any(shared_.handles, random_());
  }
  void* context() {
    return random_() % 50 == 0 ? garbage() : shared_.any(shared_.contexts, random_());
  }

  void start() {
    const auto kind = static_cast<Kind>(random_() % kKinds);
    if (!table_delivers(victim_.version(), kind)) return;
    if (void* started = victim_.start(kind, context(), random_() % 10 == 0 ? nullptr : handle())) {
      shared_.put(&shared_.handles, started);
    }
  }
  void record() {
    abi::StateArgsV4 args{};
    args.p_timer = random_();
    // NetPluginUpdate's argument is only a number to the plugin; the others likewise.
    victim_.record(handle(), static_cast<unsigned>(random_() % (kStates + 2)),
                   random_() % 20 == 0 ? nullptr : &args);
  }

  Victim& victim_;
  Shared& shared_;
  std::mt19937_64 random_;
};

}  // namespace

void random_calls(Victim& victim, uint64_t seed, unsigned threads, uint64_t operations) {
  Shared shared;
  shared.contexts.push_back(victim.init(1));
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      Caller caller(victim, shared, seed + i);
      for (uint64_t n = 0; n < operations; ++n) caller.call();
    });
  }
  for (auto& thread : running) thread.join();
}

}  // namespace lockstep::driver
