#!/usr/bin/env bash
# 100 emulated runs of faults in turn, without second tries: the first finding names the kind, the rank, the operation in 90 %
# of each, nobody is accused of nothing; hangs also when calls alone are recorded; and jobs of several communicators and
# sends. docs/measured/analysis.md has the tables; recorded_faults.sh judges one recording of each fault.
# serial
# timeout: 900
. "$(dirname "$0")/../lib.sh"
only_when_long "the answer depends on this machine's load; analysis/recorded_faults judges recordings: LONG=1 test/run analysis/faults"
need python3 python3
confusion() {
  python3 "$ROOT/scripts/confusion.py" "$@" --build "$BUILD" || fail "a kind is right in less than 90 % of its runs"
}
confusion 100
confusion 4 --kinds hang,wrong_order,mismatch,dead --events api
confusion 20 --again 1 --kinds clean,late,slow_link,slow_proxy --work mixed
