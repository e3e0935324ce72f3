#!/usr/bin/env bash
# What `lockstep serve` costs before its first answer: time and size of the pyramid that it makes, and the time when that
# is there. Usage: bench/pyramid.sh [RANKS [OPERATIONS [MEMORY]]] (default 256 2000 2G; a collective of each rank every
# 100 ms). The pyramid alone: with the report there. Its speed is that of a run whose tables MEMORY does not hold; of
# others all tables are made.
set -euo pipefail
BUILD=${BUILD:-build}
ranks=${1:-256} operations=${2:-2000} memory=${3:-2G}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$BUILD/lockstep-generate" "$work/run" --ranks "$ranks" --operations "$operations" --every-ms 100 --late-rank 3 --late-us 20000 >/dev/null
bytes() { find "$1" -name "$2" -printf '%s\n' | awk '{ sum += $1 } END { printf "%.0f", sum }'; }

# Seconds until the banner, and of processor time until then, which is then in $processor; peak memory.
measure() {
  local begun pid hz ticks
  begun=$(date +%s.%N)
  : >"$work/banner"
  "$BUILD/lockstep" serve "$work/run" --memory "$memory" >"$work/banner" 2>"$work/err" &
  pid=$!
  until [ -s "$work/banner" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
  hz=$(getconf CLK_TCK)
  ticks=$(awk '{ print $14 + $15 }' /proc/$pid/stat)
  processor=$(awk -v t="$ticks" -v h="$hz" 'BEGIN { printf "%.2f", t / h }')
  echo "$1: $(awk -v b="$begun" -v e="$(date +%s.%N)" 'BEGIN { printf "%.1f s", e - b }'), $processor s of a processor," \
    "$(awk '/VmHWM/ { printf "%.0f MiB", $2 / 1024 }' /proc/$pid/status) of memory"
  url=$(head -1 "$work/banner" | awk '{ print $NF }')
  for columns in 1024 256; do
    curl -s -o /dev/null -H "Authorization: Bearer ${url##*=}" -w "  a tile of $columns columns at most: %{time_total} s, %{size_download} bytes\n" \
      -H "Accept-Encoding: gzip" "${url%%/#*}/api/tiles?columns=$columns"
  done
  kill $pid
  wait $pid
}

stored=$(bytes "$work/run" '*.lks')
echo "$ranks ranks, $((ranks * operations)) operations, $stored bytes of segments"
measure "first time"
find "$work/run/pyramid" -name '*.cells' -delete
measure "pyramid alone"
records=$("$BUILD/lockstep" count "$work/run" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["records"])')
echo "  $records records, $(awk -v r="$records" -v t="$processor" 'BEGIN { printf "%.1f", r / t / 1e6 }') million a second of a processor"
measure "with its pyramid"
made=$(bytes "$work/run/pyramid" '*')
echo "pyramid: $made bytes, $(awk -v p="$made" -v s="$stored" 'BEGIN { printf "%.2f", 100 * p / s }') % of the segments"
