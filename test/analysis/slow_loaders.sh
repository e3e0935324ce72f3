#!/usr/bin/env bash
# Slow data loaders make ranks start apart, and who starts last leaves its trace in the ends of a ring until the step ends.
# Where one rank did so more often by chance, no link is slow, and none is said to be with confidence. Nor is a rank late that
# holds every step up as another one does, and now and then loses more in it.
. "$(dirname "$0")/lib.sh"
while read -r seed schedule; do
  judged --seed "$seed" --schedule "$schedule" --ranks 4 --gpus-per-host 2 --noise loader --events proxy >/dev/null
  want_equal "findings of $schedule, seed $seed, at 0.9 or more" 0 "$(jq '[.findings[] | select(.confidence >= 0.9)] | length' "$TMP/answer")"
done <<'JOBS'
748783892 ddp
1641518546 group
999326814 ddp
2042655643 group
2036972352 zero
JOBS
