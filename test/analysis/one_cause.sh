#!/usr/bin/env bash
# One cause is one finding, whatever it holds up: a rank that stops in a pipeline of many communicators and group calls,
# and one whose data does not leave it.
. "$(dirname "$0")/../lib.sh"
need jq jq

judged() { # judged NAME ARGUMENTS: its findings; whether what follows is inside
  "$BUILD/lockstep-simulate" "$TMP/$1" "${@:2}"
  "$BUILD/lockstep" diagnose "$TMP/$1" --json >"$TMP/answer" || [ $? = 1 ] || fail "diagnose ended with $?"
  jq -c '[.findings[] | [.kind, .culprits_world, .one_of, (.consequences | length > 0)]]' "$TMP/answer"
}
pipeline="--schedule interleaved --pp 8 --micro-batches 8 --tp 2 --ranks 16 --gpus-per-host 4 --steps 30"
# shellcheck disable=SC2086
want_equal "a rank that stops" '[["missing_rank",[3],false,true]]' "$(judged stops --class missing-rank --seed 1481087481 \
  $pipeline --noise preemption --events step)"

# Without steps the network tells between which two ranks data stopped; inside a host nothing does.
want_equal "a send that stops" '[["stuck_in_transport",[2,3],true,true]]' "$(judged send --class stuck-transport \
  --seed 1646260837 --schedule gpipe --steps 30 --noise quiet --events proxy --pp 4 --micro-batches 4 --gpus-per-host 4 --ranks 4)"
want_equal "whom the truth suspects" '[2,3]' "$(jq -c '.faults[0].suspects' "$TMP/send/truth.json")"
