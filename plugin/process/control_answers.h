// The JSON that a process answers with on its control socket (docs/control.md lists the keys).
// Called on the control socket's thread.
#pragma once

#include <string>

#include "dumper/drain/dump_thread.h"
#include "dumper/drain/overhead.h"
#include "dumper/feeds/comm_progress.h"
#include "lockstep/shared_blocks.h"

namespace lockstep::plugin {

struct StatusFacts {
  uint32_t kinds = 0, one_in = 1, held_back = 0;
  uint32_t lent = 0;  // of `kinds`, for lent_left_ns more
  int64_t lent_left_ns = 0;
  uint64_t interval_us = 0, records_written = 0;
  dumper::DumpThread::Written written;
  uint64_t blocks_reserved = 0, blocks_in_use = 0, max_blocks = 0;
};

std::string status_answer(const ArenaHeader& arena, const dumper::Overhead& overhead,
                          const StatusFacts& facts);
// `flushed`: everything recorded before the question is in it. `behind`: what was recorded last cannot be
// written, and so is not in it.
std::string progress_answer(const ArenaHeader& arena,
                            const dumper::CommProgress::Snapshot& progress, bool flushed,
                            bool behind);

}  // namespace lockstep::plugin
