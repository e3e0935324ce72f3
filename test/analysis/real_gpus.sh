#!/usr/bin/env bash
# Runs of real NCCL and PyTorch on a real GPU, whose truth is known (test/data/README.md): who is named and why.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/recordings.sh"
# expect RUN VERDICT: [[kind, ranks, why]...] of who is accused
expect() { expect_verdict "gpu/$1" "$2" '[.findings[] | [.kind, .culprits, .why]]'; }
expect healthy '[]'
expect time_slices '[["straggler",[2],"own_code"]]'
expect straggler_calls '[["straggler",[2],"own_code"]]'
expect bound_core '[["straggler",[1],"no_processor"]]'
expect hang '[["missing_rank",[1],null]]'
expect pytorch_healthy '[]'
expect pytorch_profiled '[]'
expect pytorch_late '[["straggler",[2],"own_code"]]'
expect pytorch_slow_gpu '[["straggler",[1],"own_code"]]'
expect pytorch_hang '[["missing_rank",[1],null]]'
# Ranks 1 to 3 also take 1.5 ms longer than rank 0 to fetch a result of 1 MB and compare it, as the driver's own times say:
# those of them that come last are named for it as well, with less than a sixth of rank 2's cost.
expect_verdict gpu/straggler '["straggler",[2],"own_code",true]' \
  '.findings | .[0].gain_ns as $cost | (.[0] | [.kind, .culprits, .why]) + [all(.[1:][]; .gain_ns * 6 < $cost)]'
all_as_expected
