#!/usr/bin/env bash
# The recorded run in which rank 1 stops calling: it is named, with the operation and those waiting, with the abort in
# the recording, cut before it, and cut where the last record is.
. "$(dirname "$0")/../lib.sh"
need jq jq

named() { # named WHAT RUN
  status=0
  "$BUILD/lockstep" diagnose "$2" --json >"$TMP/answer" || status=$?
  want_equal "exit code, $1" 1 $status
  want_equal "verdict, $1" '["missing_rank","AllGather",4,[0,2,3],[1],"world"]' \
    "$(jq -c '.findings[0] | [.kind, .op, .ordinal, .ranks, .culprits, .comm_name]' "$TMP/answer")"
  want_equal "where to look, $1" '[1,1,null]' "$(jq -c '.findings[0].culprits_at[0] | [.rank, .world_rank, .gpu]' "$TMP/answer")"
  jq -r '.findings[0].text' "$TMP/answer" >"$TMP/text"
  grep -qE '^Ranks 0, 2 and 3 have been waiting in AllGather #4 on world for [0-9.]+ (s|ms); rank 1 never called it\. ' "$TMP/text" ||
    fail "the headline, $1: $(cat "$TMP/text")"
  grep -qE ' Rank 1 is pid [0-9]+ on [^ ]+\.$' "$TMP/text" || fail "the node, $1: $(cat "$TMP/text")"
  want_equal "findings, $1" 1 "$(jq '.findings | length' "$TMP/answer")"
}
replay() { # replay RUN OPTIONS...
  run=$1
  shift
  LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=all LOCKSTEP_DIR=$run \
    "$BUILD/lockstep-replay" --virtual "$@" "$BUILD/libnccl-profiler.so" "$ROOT"/test/data/runs/hang/*.zst >"$TMP/played"
}
replay "$TMP/whole"
named "with the abort" "$TMP/whole"
replay "$TMP/cut" --until 3000000 --end exit
named "cut before the abort" "$TMP/cut"
replay "$TMP/short" --until 620000 --end exit
named "cut at the last record" "$TMP/short"
jq -e '.findings[0].confidence < 0.9' "$TMP/answer" >/dev/null || fail "a stall of some milliseconds is no certainty"
