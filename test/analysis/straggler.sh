#!/usr/bin/env bash
# The recorded run in which rank 2 calls 5 ms late in some iterations: it is named, by how much and when; nobody else is.
# At the log's own times, so that this machine's load is not in it.
. "$(dirname "$0")/../lib.sh"
need jq jq

# Iteration 0 sets up the connections and is left out of statistics.
awk -F, 'NR > 1 && $1 > 0 && $3 >= 0 {print $1}' "$ROOT/test/data/runs/straggler/truth0.csv" | sort >"$TMP/true"

LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=all LOCKSTEP_DIR=$TMP/run \
  "$BUILD/lockstep-replay" --virtual "$BUILD/libnccl-profiler.so" "$ROOT"/test/data/runs/straggler/*.zst >"$TMP/played"
status=0
"$BUILD/lockstep" diagnose "$TMP/run" --json >"$TMP/answer" || status=$?
want_equal "exit code" 1 $status
want_equal "accused" '[["straggler",[2]]]' "$(jq -c '[.findings[] | [.kind, .culprits]]' "$TMP/answer")"
jq -r '.findings[0].evidence[] | capture("AllReduce #(?<n>[0-9]+), rank 2 ") | .n' "$TMP/answer" | sort >"$TMP/said"
diff "$TMP/true" "$TMP/said" || fail "the operations that were delayed (<) and those accused (>)"
typical=$(jq -r '.findings[0].text | capture("typically by (?<ms>[0-9.]+) ms").ms' "$TMP/answer")
awk -v ms="$typical" 'BEGIN {exit !(ms >= 4.5 && ms <= 5.5)}' || fail "the delay of 5 ms is given as $typical ms"
