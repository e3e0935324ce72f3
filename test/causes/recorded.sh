#!/usr/bin/env bash
# Real causes that the other tests here made, as they were recorded: who is named and why, of each the same every time.
. "$(dirname "$0")/../lib.sh"
need jq jq
wrong=0
expect() { # expect RUN VERDICT: [[kind, ranks, why, what was measured, where]...] of who is accused
  local got
  cp -r "$ROOT/test/data/recordings/causes/$1" "$TMP/$1"
  "$BUILD/lockstep" diagnose "$TMP/$1" --json >"$TMP/answer" || [ $? = 1 ] || fail "diagnose $1"
  got=$(jq -c '[.findings[] | [.kind, .culprits, .why, .why_evidence[0].what, .why_evidence[0].where]]' "$TMP/answer")
  [ "$got" = "$2" ] && return
  echo "$1: $got, not $2"
  wrong=$((wrong + 1))
}
expect bound_core '[["straggler",[1],"no_processor","processor_wait",null]]'
expect busy_machine '[]'
expect processor_quota '[["straggler",[1],"throttled","cgroup_throttled","cpu:/lockstep-test"]]'
expect memory_limit '[["straggler",[1],"memory_pressure","memory_limit","memory:/lockstep-test"]]'
expect network '[]'
expect network_rate '[["slow_link",[2],"retransmits","retransmits","tcp"]]'
expect network_loss '[["slow_link",[2],"retransmits","retransmits","tcp"]]'
expect network_delay '[["slow_link",[2],"delay","round_trip",null]]'
[ $wrong = 0 ] || fail "$wrong causes are not the truth"
