// The process's one recording: when it starts (the first enabled init), what it owns (arena,
// queues, keeper and dump thread), and when it ends (last finalize, exit, fork). Entry points are
// called by the ABI adapters on whatever thread NCCL uses; init and finalize may take a lock and
// create threads, the other callbacks never come here.
#pragma once

#include <cstdint>

#include "plugin/record/comm_facts.h"

namespace lockstep::plugin {

// Always gives a non-NULL context and a mask, even when lockstep is not enabled (mask 0) or could
// not start.
void begin_comm(const CommFacts& facts, void** context, int32_t* activation_mask) noexcept;
// Never waits longer than the drain of what is recorded, and that only for the last communicator.
void end_comm(void* context) noexcept;

}  // namespace lockstep::plugin
