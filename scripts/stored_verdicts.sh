#!/usr/bin/env bash
# usage: scripts/stored_verdicts.sh [TIMES [LOOPS [DATA]]]
# Judges what real NCCL recorded and whose truth is known: the runs, call logs and recordings under DATA (test/data), the
# logs at their own times. TIMES times (1), beside LOOPS busy loops (0). Prints what was judged wrongly and how often all
# was right; exit 1 when anything was wrong. BUILD names the build (build). Needs jq.
set -euo pipefail
times=${1:-1} loops=${2:-0}
root=$(cd "$(dirname "$0")/.." && pwd)
data=${3:-$root/test/data} build=${BUILD:-$root/build}
for name in $(compgen -e LOCKSTEP_) $(compgen -e NCCL_); do unset "$name"; done
scratch=$(mktemp -d "${TMPDIR:-/tmp}/lockstep-stored.XXXXXX")
LOOPS=()
clean_up() {
  [ ${#LOOPS[@]} = 0 ] || kill "${LOOPS[@]}" 2>/dev/null || true
  rm -rf "$scratch"
}
trap clean_up EXIT
for _ in $(seq "$loops"); do
  sh -c 'while :; do :; done' &
  LOOPS+=($!)
done

answer=$scratch/answer
diagnose() { "$build/lockstep" diagnose "$1" --json >"$answer" || [ $? = 1 ] || echo "diagnose ended with $?" >"$answer"; }
play() { # play EVENTS LOG...: into $scratch/run
  rm -rf "$scratch/run"
  LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=$1 LOCKSTEP_DIR=$scratch/run \
    "$build/lockstep-replay" --virtual "$build/libnccl-profiler.so" "${@:2}" >"$scratch/played"
}
judged=0 wrong=0
expect() { # expect WHAT VERDICT FILTER: of the answer
  local got
  got=$(jq -c "$3" "$answer" 2>/dev/null || cat "$answer")
  judged=$((judged + 1))
  [ "$got" = "$2" ] && return
  echo "$1: $got, not $2"
  wrong=$((wrong + 1))
}
run() { # run EVENTS NAME VERDICT: of who is accused, in world ranks
  play "$1" "$data/runs/$2"/*.zst
  diagnose "$scratch/run"
  expect "$2 with LOCKSTEP_EVENTS=$1" "$3" '[.findings[] | [.kind, .culprits_world]]'
}

lateness() {
  run "$1" healthy_alltoall '[]'
  run "$1" healthy_groups '[]'
  run "$1" healthy_split_mix '[]'
  run "$1" rare_long_stall '[["straggler",[0]]]'
  run "$1" straggler '[["straggler",[2]]]'
  run "$1" straggler_alltoall '[["straggler",[0]]]'
  run "$1" straggler_groups '[["straggler",[1]]]'
  run "$1" straggler_split '[["straggler",[3]]]'
}
hangs() {
  run "$1" hang '[["missing_rank",[1]]]'
  run "$1" hang_sendrecv '[["missing_rank",[1]]]'
}
# Logs in which nobody does wrong, though two of them end in the middle, but for two that hang on a real GPU.
calls() {
  local log name truth
  for log in "$data"/calls/*.0.txt*; do
    name=$(basename "$log")
    name=${name%.0.txt*}
    truth='[]'
    case $name in gpu_hang | pytorch_hang) truth='[["missing_rank",[1]]]' ;; esac
    play all "$data/calls/$name".?.txt*
    diagnose "$scratch/run"
    expect "$name" "$truth" '[.findings[] | [.kind, .culprits_world]]'
  done
}
recording() { # recording NAME VERDICT
  cp -r "$data/recordings/$1" "$scratch/$1" # diagnose may write there
  chmod -R u+w "$scratch/$1"
  diagnose "$scratch/$1"
  rm -rf "${scratch:?}/$1"
  expect "$1" "$2" '[.findings[] | select(.kind | IN("straggler", "slow_link", "slow_proxy", "machine_overloaded") | not)
    | [.kind, .comm_name, .op, .ordinal, .culprits_world]]'
}

right=0
for _ in $(seq "$times"); do
  before=$wrong
  for events in all proxy; do
    lateness $events
    hangs $events
  done
  lateness coll # shows by the calls alone as well
  calls
  recording hang_ahead '[["missing_rank","world","AllReduce",51,[2]]]'
  recording frozen '[["dead_process","world","AllReduce",125,[3]]]'
  [ $wrong != "$before" ] || right=$((right + 1))
done
echo "all right $right of $times times: $judged verdicts, $wrong wrong, beside $loops busy loops"
[ $wrong = 0 ]
