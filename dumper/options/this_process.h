// The facts about the running process that stand at the head of its segments and in its arena.
// Called once at the start, on NCCL's thread; reads /proc and the environment, never fails (what
// cannot be read is left out).
#pragma once

#include "dumper/options/config.h"
#include "dumper/segment/process_facts.h"
#include "lockstep/shared_blocks.h"

namespace lockstep::dumper {

// Fills host, boot_id, pid and process_start of the arena's header. `host` overrides the machine's
// own name.
void fill_process_identity(const char* host, ArenaHeader* arena);

// The rest: program, job variables of the launcher, options with their origins.
ProcessFacts this_process_facts(const ArenaHeader& arena, const Config& config,
                                const char* tick_source);

}  // namespace lockstep::dumper
