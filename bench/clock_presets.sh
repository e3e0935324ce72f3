#!/usr/bin/env bash
# What each preset of the clock prober gives and costs (root, for network namespaces): accuracy between two hosts joined by
# a wire, ROUNDS runs of 24 s of which the first 6 are left out; then build/bench/prober_cost with 1 and 8 neighbours. About
# ten minutes; prints the two tables of docs/measured/prober.md.
. "$(dirname "$0")/../test/lib.sh"
. "$(dirname "$0")/../test/clocksync/common.sh"
need jq jq
need_namespaces
add_namespace lsA$$
add_namespace lsB$$
wire lsA$$ wa 10.77.1.1/24 lsB$$ wb 10.77.1.2/24
PRESETS="default high-accuracy low-overhead debug"

host() { # PRESET JOB NAMESPACE NUMBER
  background ip netns exec "$3" "$CLOCKD" --preset "$1" --dir "$RUN/$2" --job "$2" --host "h$4" --expect 2 --seconds 24 \
    --virtual-clock "$(clock "$4")" >/dev/null 2>&1
}
echo "load before: $(cut -d' ' -f1-3 /proc/loadavg)"
echo "| preset | error p50 / p99 / max ns | half-width p50 / max ns | truth inside |"
echo "|---|---|---|---|"
for preset in $PRESETS; do
  for ((round = 0; round < ${ROUNDS:-3}; ++round)); do
    job=$preset.$round
    mkdir -p "$RUN/$job"
    host "$preset" "$job" lsA$$ 0
    host "$preset" "$job" lsB$$ 1
    wait_all
    "$CHECK" "$RUN/$job" "h0=$(clock 0)" "h1=$(clock 1)" --skip 6 >"$TMP/check" || { cat "$TMP/check"; fail "$job"; }
    jq -r --arg preset "$preset" 'select(.a) | "| `\($preset)` | \(.p50_ns) / \(.p99_ns) / \(.max_ns) |" +
      " \(.half_p50_ns) / \(.half_max_ns) | \(100 * .held) % of \(.n) |"' "$TMP/check"
  done
done
echo
echo "| preset | neighbours up | % of a core | packets sent per s | Mbit/s sent |"
echo "|---|---|---|---|---|"
for preset in $PRESETS; do
  "$BUILD/bench/prober_cost" 20 "$preset" | jq -r 'select(.neighbours > 0) | "| `\(.preset)` | \(.up) of \(.neighbours) |" +
    " \(.cpu_percent_of_a_core) | \(.packets_sent_per_s) | \(.mbit_per_s_sent) |"'
done
