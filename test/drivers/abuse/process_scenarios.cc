// What happens around the calls: threads, forks, exits, reloads.
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "test/drivers/abuse/abuse.h"

namespace lockstep::driver {
namespace {

void concurrent_communicators(Victim& v) {
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < 64; ++i) {
    threads.emplace_back([&v, i] {
      void* context = v.init(i);
      for (int n = 0; n < 20; ++n) v.operation(context);
      v.finalize(context);
    });
  }
  for (auto& thread : threads) thread.join();
}

void a_thousand_generations(Victim& v) {
  for (uint64_t i = 0; i < 1000; ++i) {
    void* context = v.init(i);
    v.operation(context);
    v.finalize(context);
  }
}

void init_without_finalize(Victim& v) { v.operation(v.init(1)); }

void unload_and_reload(Victim& v) {
  for (uint64_t i = 0; i < 20; ++i) {
    void* context = v.init(i);
    v.operation(context);
    v.finalize(context);
    v.unload();
    v.load();
  }
}

void calls_after_dlclose(Victim& v) {
  void* context = v.init(1);
  void* coll = v.operation(context);
  v.finalize(context);
  v.unload();
  v.operation(context);
  v.stop(coll);
}

void must_end_well(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) {
    std::fprintf(stderr, "the child ended with status %d\n", status);
    std::exit(1);
  }
}

// g++ 12's AddressSanitizer does not hold its allocator's locks across fork: at exit of a child,
// the leak check could wait forever for a lock that a thread of the parent held. The parent's own
// check stays.
bool is_forked_child = false;

void forks_in_every_state(Victim& v) {
  auto fork_and_call = [&v](void* context, bool with_exit) {
    const pid_t child = fork();
    if (child == 0) {
      is_forked_child = true;
      void* mine = v.init(99);
      v.operation(context);
      v.operation(mine);
      v.finalize(mine);
      if (with_exit) std::exit(0);
      _exit(0);
    }
    must_end_well(child);
  };
  fork_and_call(nullptr, true);  // before the first init
  void* context = v.init(1);
  fork_and_call(context, true);
  v.operation(context);
  fork_and_call(context, false);
  v.finalize(context);
  fork_and_call(context, true);
}

void exec_in_a_child(Victim& v) {
  void* context = v.init(1);
  v.operation(context);
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/true", "true", nullptr);
    _exit(127);
  }
  must_end_well(child);
  v.finalize(context);
}

void exit_during_callbacks(Victim& v) {
  void* context = v.init(1);
  for (int i = 0; i < 2; ++i) {
    std::thread([&v, context] {
      while (true) v.operation(context);
    }).detach();
  }
  usleep(50000);
  std::exit(0);
}

void threads_that_end_with_open_blocks(Victim& v) {
  void* context = v.init(1);
  for (int i = 0; i < 300; ++i) {
    std::thread([&v, context] { v.operation(context); }).join();
  }
  v.finalize(context);
}

// A coroutine library's stack: 4 KiB below a page that must not be touched.
struct TinyStack {
  Victim* victim;
  void* context;
  ucontext_t caller, callee;
};
TinyStack tiny;
void call_on_tiny_stack() {
  for (int i = 0; i < 5000; ++i) tiny.victim->operation(tiny.context);
}

void stacks_of_4_kib(Victim& v) {
  constexpr size_t kPage = 4096;
  auto* memory =
      static_cast<char*>(mmap(nullptr, 3 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  // The scenario itself needs a little of the stack: one page more than the plugin may use.
  mprotect(memory + kPage, 2 * kPage, PROT_READ | PROT_WRITE);
  tiny.victim = &v;
  tiny.context = v.init(1);
  getcontext(&tiny.callee);
  tiny.callee.uc_stack.ss_sp = memory + kPage;
  tiny.callee.uc_stack.ss_size = 2 * kPage;
  tiny.callee.uc_link = &tiny.caller;
  makecontext(&tiny.callee, call_on_tiny_stack, 0);
  swapcontext(&tiny.caller, &tiny.callee);
  v.finalize(tiny.context);
}

void finalize_while_others_call(Victim& v) {
  std::atomic<bool> stop{false};
  void* context = v.init(1);
  std::thread late([&] {
    while (!stop.load()) v.operation(context);
  });
  usleep(20000);
  v.finalize(context);
  usleep(20000);
  stop.store(true);
  late.join();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() {
  return is_forked_child ? 1 : 0;
}

const std::vector<Scenario> kProcessScenarios = {
    {"concurrent-communicators", concurrent_communicators},
    {"a-thousand-generations", a_thousand_generations},
    {"init-without-finalize", init_without_finalize},
    {"unload-and-reload", unload_and_reload},
    {"calls-after-dlclose", calls_after_dlclose},
    {"forks-in-every-state", forks_in_every_state},
    {"exec-in-a-child", exec_in_a_child},
    {"exit-during-callbacks", exit_during_callbacks},
    {"threads-that-end-with-open-blocks", threads_that_end_with_open_blocks},
    {"stacks-of-4-kib", stacks_of_4_kib},
    {"finalize-while-others-call", finalize_while_others_call},
};

}  // namespace lockstep::driver
