#!/usr/bin/env bash
# Real causes that the other tests here made, as they were recorded: who is named and why, of each the same every time.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/recordings.sh"
# expect RUN VERDICT: [[kind, ranks, why, what was measured, where]...] of who is accused
expect() {
  expect_verdict "causes/$1" "$2" '[.findings[] | [.kind, .culprits, .why, .why_evidence[0].what, .why_evidence[0].where]]'
}
expect bound_core '[["straggler",[1],"no_processor","processor_wait",null]]'
expect busy_machine '[]'
expect processor_quota '[["straggler",[1],"throttled","cgroup_throttled","cpu:/lockstep-test"]]'
expect memory_limit '[["straggler",[1],"memory_pressure","memory_limit","memory:/lockstep-test"]]'
expect network '[]'
expect network_rate '[["slow_link",[2],"retransmits","retransmits","tcp"]]'
expect network_loss '[["slow_link",[2],"retransmits","retransmits","tcp"]]'
expect network_delay '[["slow_link",[2],"delay","round_trip",null]]'
# Rank 2 is 5 ms late in three of ten operations, beside busy loops that its host has too few processors for.
expect late_beside_loops '[["straggler",[2],"own_code","processor_wait",null]]'
expect starved_beside_loops '[["straggler",[2],"no_processor","processor_wait",null],["machine_overloaded",[],"no_processor",null,null]]'
all_as_expected
