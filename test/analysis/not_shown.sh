#!/usr/bin/env bash
# Calls alone do not show whose GPU is slow: whichever of two ranks it is, all calls come at the same times, as seen from the
# other ranks. So the truth of such a job says that it is not shown, and the answer that it is not known.
. "$(dirname "$0")/../lib.sh"
need jq jq
need python3 python3

simulate() { # simulate EVENTS RANK ARGUMENTS
  rm -rf "$TMP/run"
  "$BUILD/lockstep-simulate" "$TMP/run" --seed 5 --class slow-gpu --rank "$2" --size 1 --steps 10 --ranks 8 --gpus-per-host 4 \
    --noise quiet --events "$1" "${@:3}"
}
differ() { # differ EVENTS RANK OTHER ARGUMENTS: by how many ns
  for rank in "$2" "$3"; do
    simulate "$1" "$rank" "${@:4}"
    "$BUILD/lockstep" cat "$TMP/run" >"$TMP/$rank.calls"
  done
  python3 -B "$ROOT/test/analysis/not_shown.py" "$TMP/$2.calls" "$TMP/$3.calls"
}
# Ranks of one role: the same stage, tensor rank or half of the ranks.
while read -r schedule one other more; do
  # shellcheck disable=SC2086
  ns=$(differ coll "$one" "$other" --schedule "$schedule" $more)
  [ "$ns" -lt 1000 ] || fail "$schedule: calls of rank $one's and rank $other's slow GPU differ by $ns ns"
done <<'JOBS'
ddp 1 2
group 1 2
zero 1 2
owner 5 6
tp-dp 2 4 --tp 2
gpipe 2 3 --pp 4 --micro-batches 8
1f1b 2 3 --pp 4 --micro-batches 8
interleaved 2 3 --pp 4 --micro-batches 4
moe 1 2 --ep 4
JOBS
want_equal "whether calls show it" false "$(jq '.faults[0].shown' "$TMP/run/truth.json")"
"$BUILD/lockstep" diagnose "$TMP/run" --json >"$TMP/answer" || fail "a slow GPU is named by calls alone"
jq -e '.not_known | any(startswith("Which GPUs are slow is not known"))' "$TMP/answer" >/dev/null || fail "it is not said"

ns=$(differ proxy 1 2 --schedule ddp)
[ "$ns" -gt 1000000 ] || fail "the default events of two slow GPUs differ by $ns ns only"
want_equal "whether the default events show it" true "$(jq '.faults[0].shown' "$TMP/run/truth.json")"
