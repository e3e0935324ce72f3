#!/usr/bin/env bash
# One emulated run of each fault: the first finding names its kind, its rank, its operation; nobody is accused of nothing.
# Hangs also when calls alone are recorded. CI plays three of each, LONG=1 100 without second tries and asks for 90 %, and
# jobs of several communicators and sends; docs/measured/analysis.md has the tables.
# serial
# timeout: 900
. "$(dirname "$0")/../lib.sh"
need python3 python3
confusion() {
  python3 "$ROOT/scripts/confusion.py" "$@" --build "$BUILD" || fail "a kind is right in less than 90 % of its runs"
}
count=9 again=2 # a busy machine makes ranks late for real
if [ -n "${CI:-}" ]; then count=27; fi
if [ -n "${LONG:-}" ]; then count=100 again=0; fi
confusion "$count" --again "$again"
confusion 4 --again "$again" --kinds hang,wrong_order,mismatch,dead --events api
[ -z "${LONG:-}" ] || confusion 20 --again 1 --kinds clean,late,slow_link,slow_proxy --work mixed
