#!/usr/bin/env bash
# One recorded run of each fault that the emulator plays: its kind, its rank, its operation, and nobody else. Hangs also where
# calls alone were recorded. faults.sh plays them anew.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/recordings.sh"
# expect RUN VERDICT: [[kind, operation, ordinal, ranks]...]; what late ranks were late in first is the replay's choice
expect() {
  expect_verdict "faults/$1" "$2" '[.findings[] | if .kind == "straggler" then [.kind, .culprits] else [.kind, .op, .ordinal, .culprits] end]'
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
all_as_expected
