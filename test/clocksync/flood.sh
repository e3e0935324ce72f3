#!/usr/bin/env bash
# serial
# An attacker on the path sends 100,000 bad packets a second for 10 s from the right address, made from the last
# genuine packet: replayed, cut, lengthened, of another version, with a wrong code, changed, and noise. The model
# stays right, the counters tell, and the prober looks at no more packets than its rules for a flood allow: that bounds
# what a flood can cost, whatever else runs here. How it holds its cap on processor time: unit_clocksync_probe.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/common.sh"
need jq jq
P=$((20000 + $$ % 20000))
background "$BUILD/lockstep-relay" --port-for-a $P --port-for-b $((P + 1)) --a $((P + 2)) --b $((P + 3)) \
  --attack 100000 --attack-after 4 --attack-for 10 --seconds 19 >"$TMP/relay.out"
background "$CLOCKD" --dir "$RUN" --job flood --host h0 --seconds 18 --virtual-clock "$(clock 0)" \
  --rendezvous "static:h0=127.0.0.1:$((P + 2)),h1=127.0.0.1:$P" >"$TMP/h0.out"
background "$CLOCKD" --dir "$RUN" --job flood --host h1 --seconds 18 --verbose --virtual-clock "$(clock 1)" \
  --rendezvous "static:h0=127.0.0.1:$((P + 1)),h1=127.0.0.1:$((P + 3))" >"$TMP/h1.out"
wait_all
cat "$TMP/relay.out"
tail -n 1 "$TMP/h1.out"
# For docs/measured/prober.md: seconds 6 to 13 of the run lie inside the flood.
grep -o 'cpu=[0-9.]*' "$TMP/h1.out" | sed -n '6,13s/cpu=//p' |
  awk '{ sum += $1; n++ } END { printf "cpu during the flood: %.2f %%\n", sum / n }'
attacks=$(sed 's/.*attacks=//' "$TMP/relay.out")
# Ten times what makes a flood; a machine that cannot send that much cannot show one.
[ "$attacks" -ge 100000 ] || skip "the machine is too busy to send the flood ($attacks packets)"
"$CHECK" "$RUN" "h0=$(clock 0)" "h1=$(clock 1)" || fail "see above"
for counter in truncated oversized bad_version bad_mac replayed kernel_dropped; do
  tail -n 1 "$TMP/h1.out" | grep -q " $counter=[1-9]" || fail "$counter was not counted"
done
grep '"type":"fault"' "$RUN/h1.clock" | grep -q '"kind":"auth"' || fail "no fault was recorded"
# In a flood: 25 looks a second at 2 batches of 64 packets. Before it is noticed: 1000 packets and one full look (16
# batches), at its start and whenever it has paused for 5 s. Counted per window of the report, on the prober's own clock.
jq -c 'select(.type == "window_stats") | {s: ((.end - .start) / 1e9), dropped: (.dropped_auth + .dropped_replay +
  .dropped_version + .dropped_malformed)} | .most = 25 * 128 * .s + 128 + 2024 * (1 + .s / 5)' "$RUN/h1.clock" >"$TMP/windows"
cat "$TMP/windows"
[ "$(jq -s 'map(.dropped) | add > 1000' "$TMP/windows")" = true ] || fail "the flood did not reach the prober"
[ "$(jq -s 'all(.dropped <= .most)' "$TMP/windows")" = true ] || fail "it looked at more packets than the rules allow"
