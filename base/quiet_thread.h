// A thread that leaves its host program alone: all signals blocked, a name for `top`, no exception
// and no abort when the system has no thread left. Used for the prober and its rendezvous.
#pragma once

#include <pthread.h>

#include <functional>
#include <optional>

namespace lockstep::clocksync {

std::optional<pthread_t> start_quiet_thread(const char* name, std::function<void()> body);

// True when the thread ended within the time; otherwise it is detached and ends by itself.
bool join_within(pthread_t thread, int patience_ms);

}  // namespace lockstep::clocksync
