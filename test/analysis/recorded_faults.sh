#!/usr/bin/env bash
# One recorded run of each fault that the emulator plays: its kind, its rank, its operation, and nobody else. Hangs also where
# calls alone were recorded. faults.sh plays them anew.
. "$(dirname "$0")/../lib.sh"
need jq jq
wrong=0
expect() { # expect RUN VERDICT: [[kind, operation, ordinal, ranks]...]; what late ranks were late in first is the replay's choice
  local got
  cp -r "$ROOT/test/data/recordings/faults/$1" "$TMP/$1"
  "$BUILD/lockstep" diagnose "$TMP/$1" --json >"$TMP/answer" || [ $? = 1 ] || fail "diagnose $1"
  got=$(jq -c '[.findings[] | if .kind == "straggler" then [.kind, .culprits] else [.kind, .op, .ordinal, .culprits] end]' "$TMP/answer")
  [ "$got" = "$2" ] && return
  echo "$1: $got, not $2"
  wrong=$((wrong + 1))
}
expect clean '[]'
expect late '[["straggler",[1]]]'
expect slow_link '[["slow_link","",0,[3]]]'
expect slow_proxy '[["slow_proxy","",0,[2]]]'
expect hang '[["missing_rank","AllReduce",7,[1]]]'
expect wrong_order '[["wrong_order","AllReduce",8,[2]]]'
expect mismatch '[["mismatch","AllReduce",9,[3]]]'
expect stuck '[["stuck_in_transport","AllReduce",10,[0]]]'
expect dead '[["dead_process","AllReduce",11,[2]]]'
expect hang.api '[["missing_rank","AllReduce",7,[1]]]'
expect wrong_order.api '[["wrong_order","AllReduce",7,[2]]]'
expect mismatch.api '[["mismatch","AllReduce",7,[3]]]'
expect dead.api '[["dead_process","AllReduce",7,[2]]]'
[ $wrong = 0 ] || fail "$wrong verdicts are not the truth"
