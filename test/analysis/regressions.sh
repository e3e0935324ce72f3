#!/usr/bin/env bash
# Jobs of which earlier versions accused innocents or said nothing, simulated: docs/measured/regressions.md has the list.
. "$(dirname "$0")/../lib.sh"
need jq jq
wrong=0
# verdict EXPECTED ARGUMENTS...: of what is said; with "truth KIND", that one finding accuses exactly those of the truth.
verdict() {
  local expected=$1 got
  shift
  rm -rf "$TMP/run"
  "$BUILD/lockstep-simulate" "$TMP/run" --seed 3 "$@"
  "$BUILD/lockstep" diagnose "$TMP/run" --json >"$TMP/answer" || [ $? = 1 ] || fail "$*: diagnose ended with $?"
  [[ $expected != truth* ]] ||
    expected=$(jq -c --arg kind "${expected#truth }" '[[$kind, .faults[0].ranks]]' "$TMP/run/truth.json")
  got=$(jq -c '[.findings[] | [.kind, .culprits_world]]' "$TMP/answer")
  [ "$got" = "$expected" ] && return
  echo "$*: $got, not $expected"
  wrong=$((wrong + 1))
}

# The first or last stage of a healthy pipeline without tensor parallelism.
for schedule in gpipe 1f1b interleaved; do
  for size in "4 8" "8 32"; do
    read -r stages batches <<<"$size"
    verdict '[]' --schedule $schedule --pp "$stages" --ranks "$stages" --micro-batches "$batches" --steps 20 --events proxy
  done
done
# Ranks whose kernels are queued behind a hang on another communicator.
for events in proxy step; do
  for schedule in tp-dp "1f1b --pp 4"; do
    # shellcheck disable=SC2086
    verdict "truth missing_rank" --class missing-rank --schedule $schedule --tp 2 --ranks 16 --gpus-per-host 4 --steps 12 --events $events
    # shellcheck disable=SC2086
    verdict "truth stuck_on_gpu" --class stuck-gpu --schedule $schedule --tp 2 --ranks 16 --gpus-per-host 4 --steps 12 --events $events
  done
done
verdict "truth deadlock" --class deadlock --schedule tp-dp --tp 2 --ranks 8 --gpus-per-host 4 --steps 12 --events proxy
# A link that is 25 times slower, with the rank at its other end, and a slow tensor group on one host.
verdict "truth slow_link" --class slow-link --size 24 --schedule ddp --ranks 4 --gpus-per-host 1 --steps 12 --events step
link=$(jq -c '.findings[0] | [.culprits_world[0], .direction, .peers_at[0].world_rank, .peer_hosts[0]]' "$TMP/answer")
wanted=$(jq -c '.faults[0].ranks[0] | [., "to", (. + 1) % 4, "node000\((. + 1) % 4)"]' "$TMP/run/truth.json")
[ "$link" = "$wanted" ] || fail "the slow link is said to be $link, not $wanted"
verdict "truth straggler" --class late-group --size 0.5 --schedule tp-dp --tp 4 --ranks 16 --gpus-per-host 4 --steps 30 --events proxy
[ $wrong = 0 ] || fail "$wrong verdicts are not the truth"
