#!/usr/bin/env bash
# PyTorch's own schedules on a real GPU, with faults whose truth is known (test/data/README.md): who is named and why.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/recordings.sh"
# expect RUN VERDICT: [[kind, world ranks, why]...] of who is accused
expect() { expect_verdict "training/$1" "$2" '[.findings[] | [.kind, .culprits_world, .why]]'; }
expect pp_healthy '[]'
expect hsdp_healthy '[]'
expect hsdp_overloaded '[["machine_overloaded",[],"no_processor"]]'
expect ddp_late '[["straggler",[5],"own_code"]]'
expect hsdp_late '[["straggler",[1],"own_code"]]'
expect pp_late '[["straggler",[2],"own_code"]]'
expect pp_slow_gpu '[["straggler",[2],"own_code"]]'
expect fsdp_quota '[["straggler",[3],"throttled"]]'
expect ddp_checkpoint '[["straggler",[0],"preceded_by"]]'
expect ddp_slow_sends '[["slow_link",[5],"own_code"]]'
expect hsdp_slow_sends '[["slow_link",[2],"own_code"]]'
expect moe_slow_sends '[["slow_link",[1],"own_code"]]'
expect pp_slow_sends '[["slow_link",[1],"own_code"]]'
# Rank 1's proxy thread has no processor for a while, on a host with too few; ranks 0 and 3 warm up in the first of 25 steps.
expect_verdict training/ddp_hang '["missing_rank",[2]]' '.findings[0] | [.kind, .culprits_world]'
expect_verdict training/pp_hang '["missing_rank",[1]]' '.findings[0] | [.kind, .culprits_world]'
all_as_expected
