#!/usr/bin/env bash
# serial
# The prober as a thread of the plugin: a rank on each of two hosts whose clocks differ by 500 s and 9000 s, nothing
# set but the run directory. Both write their clock file, find each other there, and the interval holds the truth.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/common.sh"
need_namespaces
unshare --time --monotonic 1 true 2>/dev/null || skip "time namespaces are not permitted here"
add_namespace lsA$$
add_namespace lsB$$
wire lsA$$ wa 10.77.7.1/24 lsB$$ wb 10.77.7.2/24
need jq jq
export LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$RUN LOCKSTEP_CLOCK_ASYM_NS=400
# Each host's two ranks are a job of their own: by the seed its communicator has an id of its own, too.
rank() { # NAMESPACE OFFSET HOST
  background env LOCKSTEP_HOST="$3" ip netns exec "$1" unshare --time --monotonic "$2" --fork --kill-child \
    "$BUILD/lockstep-emulate" --ranks 2 --nodes 2 --iterations 9000 --rate 1000 --seed "$2" "$BUILD/libnccl-profiler.so"
}
rank lsA$$ 500 h0
rank lsB$$ 9000 h1
wait_all
"$CHECK" "$RUN" "h0=offset_ns=500000000000" "h1=offset_ns=9000000000000" --stamps kernel || fail "see above"
grep '"type":"hello"' "$RUN/h0.clock" | grep -q '"clock_cadence_us"' || fail "the configuration was not recorded"
# What the declaration implies is inside what is guaranteed, and holds here, where both directions are one wire.
"$BUILD/lockstep" clock "$RUN" --json >"$TMP/clock.json" || fail "lockstep clock: $(cat "$TMP/clock.json")"
jq -e '.declared_asymmetry_ns == 400 and (.pairs[0] | .lo_ns <= .conditional_lo_ns and .conditional_lo_ns <= 8500000000000 and
  8500000000000 <= .conditional_hi_ns and .conditional_hi_ns <= .hi_ns)' "$TMP/clock.json" >/dev/null ||
  fail "the interval under the declared asymmetry is wrong: $(jq -c .pairs "$TMP/clock.json")"
# How well they were probed is what their files say.
jq -e '.edges[0] | .windows >= 2 and .coverage_percent > 50' "$TMP/clock.json" >/dev/null || fail "probed: $(jq -c .edges "$TMP/clock.json")"
for host in h0 h1; do
  told=$(jq -c --arg host $host '.hosts[] | select(.host == $host) | [.windows, .windows_ok, .received, .lost]' "$TMP/clock.json")
  want_equal "windows, ok windows, packets and losses of $host" "$(jq -sc '[
      ([.[] | select(.type == "window_stats")] | length, (map(select(.status == "ok")) | length)),
      ([.[] | select(.type == "hull")] | (map(.n) | add), (map(.lost) | add))]' "$RUN/$host.clock")" "$told"
done
"$BUILD/lockstep" clock "$RUN" | grep -qE '^PAIR .*WINDOWS +HEARD +LOST' || fail "the table does not show how well pairs were probed"
[ "$(find "$RUN" -name '*.lks' | wc -l)" = 4 ] || fail "the ranks recorded nothing"

rm -rf "$RUN"
LOCKSTEP_CLOCK=0 ip netns exec lsA$$ "$BUILD/lockstep-emulate" --ranks 2 --nodes 2 --iterations 100 \
  "$BUILD/libnccl-profiler.so" >/dev/null
[ ! -e "$RUN/clock" ] || fail "LOCKSTEP_CLOCK=0 did not keep the prober off"
