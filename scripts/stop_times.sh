#!/usr/bin/env bash
# How long `lockstep stacks` stops a thread, as the asker measures it and as the thread itself does, which does nothing
# but read the clock: scripts/stop_times.sh [RUNS=60]. Prints the table of docs/measured/stacks.md. A run takes a second.
# The thread also counts what interrupts it otherwise, so use an idle machine; the figures of an equal number of runs
# without any stop stand beside. No real-time priority: the kernel would throttle the thread for 50 ms at a time.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build}
runs=${1:-60}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for run in $(seq "$((2 * runs))"); do
  "$build/lockstep-stopped" gaps 0.8 >"$scratch/all" &
  pid=$!
  until grep -qs ready "$scratch/all"; do sleep 0.01; done
  name=undisturbed
  if [ "$run" -le "$runs" ]; then
    name=noticed
    "$build/lockstep" stacks $pid --threads main --samples 3 --json >"$scratch/answer"
  fi
  wait $pid
  [ $name = undisturbed ] || jq '.stacks[].stopped_ns[]' "$scratch/answer" >>"$scratch/asker"  # not beside the thread
  grep -v ready "$scratch/all" | sort -n | tail -3 >>"$scratch/$name" || true  # three stops: the three longest
done

row() {  # row WHAT FILE
  sort -n "$scratch/$2" | awk -v what="$1" '
    { ns[NR] = $1 }
    function share(q) { i = int(NR * q) + 1; return sprintf("%.3f", ns[i > NR ? NR : i] / 1e6) }
    END { printf "| %s | %d | %s | %s | %s | %.3f |\n", what, NR, share(0.5), share(0.9), share(0.99), ns[NR] / 1e6 }'
}
echo "| ms | stops | median | p90 | p99 | longest |"
echo "|---|---|---|---|---|---|"
row "by the asker, from before it asks until after it has let go" asker
row "by the thread: the three longest times it lost in a run" noticed
row "the same without any stop" undisturbed
echo "load average: $(cut -d' ' -f1-3 /proc/loadavg)"
