#!/usr/bin/env bash
# The recorded run in which rank 2 calls 5 ms late in some iterations: it is named, by how much and when; nobody else is.
# A loaded machine makes the replay's ranks late for real, so one good replay of three is enough.
# serial: what it judges was recorded at a pace of its own
. "$(dirname "$0")/../lib.sh"
need jq jq

# Iteration 0 sets up the connections and is left out of statistics.
awk -F, 'NR > 1 && $1 > 0 && $3 >= 0 {print $1}' "$ROOT/test/data/runs/straggler/truth0.csv" | sort >"$TMP/true"

judge() { # judge RUN: prints what is wrong with the verdict, or nothing
  rm -rf "$1"
  LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=all LOCKSTEP_DIR=$1 \
    "$BUILD/lockstep-replay" "$BUILD/libnccl-profiler.so" "$ROOT"/test/data/runs/straggler/*.zst >"$TMP/played"
  local status=0 both said true typical
  "$BUILD/lockstep" diagnose "$1" --json >"$TMP/answer" || status=$?
  [ $status -eq 1 ] || { echo "exit code $status, not 1"; return; }
  [ "$(jq -c '[.findings[] | [.kind, .culprits]]' "$TMP/answer")" = '[["straggler",[2]]]' ] ||
    { echo "accused: $(jq -c '[.findings[] | [.kind, .culprits]]' "$TMP/answer")"; return; }
  jq -r '.findings[0].evidence[] | capture("AllReduce #(?<n>[0-9]+), rank 2 ") | .n' "$TMP/answer" | sort >"$TMP/said"
  both=$(comm -12 "$TMP/said" "$TMP/true" | wc -l)
  said=$(wc -l <"$TMP/said") true=$(wc -l <"$TMP/true")
  [ $((both * 100)) -ge $((true * 95)) ] || echo "recall: $both of $true delayed operations found"
  [ $((both * 100)) -ge $((said * 95)) ] || echo "precision: $both of $said accused operations were delayed"
  typical=$(jq -r '.findings[0].text | capture("typically by (?<ms>[0-9.]+) ms").ms' "$TMP/answer")
  awk -v ms="$typical" 'BEGIN {exit !(ms >= 4.5 && ms <= 5.5)}' || echo "the delay of 5 ms is given as $typical ms"
}
for attempt in 1 2 3; do
  wrong=$(judge "$TMP/run$attempt")
  [ -n "$wrong" ] || exit 0
  echo "attempt $attempt: $wrong"
done
fail "$wrong"
