#!/usr/bin/env bash
# With --virtual every start and stop is recorded at its line's own time, to the nanosecond, however fast it was played.
. "$(dirname "$0")/../lib.sh"
need jq jq
need zstdcat zstd
LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=all LOCKSTEP_DIR=$TMP/run \
  "$BUILD/lockstep-replay" --virtual "$BUILD/libnccl-profiler.so" "$ROOT"/test/data/calls/mix.?.txt.zst >"$TMP/played"
"$BUILD/lockstep" cat "$TMP/run" | jq -r 'select(.call == "start" or .call == "stop") | "\(.call) \(.kind) \(.raw_ns)"' |
  sort >"$TMP/recorded"

# Virtual time begins at one hour, with the first log's zero.
log_times() {  # log_times ZERO_NS LOG
  zstdcat "$2" | awk -v first="$1" '
    NR == 1 {match($0, /CLOCK_MONOTONIC [0-9]+/); zero = substr($0, RSTART + 16, RLENGTH - 16) - first}
    match($0, /\) (start|stop ) /) {
      call = $0; sub(/.*\) /, "", call); split(call, word, / +/)
      ns = $2; sub(/us$/, "", ns); split(ns, part, ".")
      printf "%s %s %.0f\n", word[1], word[2], 3600000000000 + zero + part[1] * 1000 + part[2]
    }'
}
zero() { zstdcat "$1" | sed -nE '1s/.*CLOCK_MONOTONIC ([0-9]+) ns.*/\1/p'; }
first=$(for log in "$ROOT"/test/data/calls/mix.?.txt.zst; do zero "$log"; done | sort -n | head -1)
for log in "$ROOT"/test/data/calls/mix.?.txt.zst; do log_times "$first" "$log"; done | sort >"$TMP/truth"
[ "$(wc -l <"$TMP/truth")" -gt 500 ] || fail "the logs were not read"
diff "$TMP/truth" "$TMP/recorded" | head -20 >"$TMP/apart" || true
[ ! -s "$TMP/apart" ] || fail "logged (<) and recorded (>): $(cat "$TMP/apart")"

# With --until, time goes on to that moment past the last call, and whoever is killed then was alive until then.
LOCKSTEP_ENABLE=1 LOCKSTEP_CLOCK=0 LOCKSTEP_DIR=$TMP/killed "$BUILD/lockstep-replay" --virtual --until 400000 --end kill \
  "$BUILD/libnccl-profiler.so" "$ROOT"/test/data/calls/mix.?.txt.zst >"$TMP/played"
"$BUILD/lockstep" diagnose "$TMP/killed" >"$TMP/verdict" || true  # which saves what is left in memory
"$BUILD/lockstep" export "$TMP/killed" --to csv -o "$TMP/tables" >"$TMP/exported"
awk -F, 'NR == 1 {for (i = 1; i <= NF; ++i) if ($i == "heard_ns") heard = i; next} {print $heard}' \
  "$TMP/tables/processes.csv" >"$TMP/heard"
want_equal "the last signs of life" "3600400000000 3600400000000 3600400000000" "$(xargs <"$TMP/heard")"
