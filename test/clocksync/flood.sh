#!/usr/bin/env bash
# serial
# An attacker on the path sends 100,000 bad packets a second for 10 s from the right address, made from the last
# genuine packet: replayed, cut, lengthened, of another version, with a wrong code, changed, and noise. The model
# stays right, the counters tell, and the prober stays below its cap of 2 % of a core.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/common.sh"
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
grep -o 'cpu=[0-9.]*' "$TMP/h1.out" | tr '\n' ' '
echo
attacks=$(sed 's/.*attacks=//' "$TMP/relay.out")
# Sharing the cores with a build, the attacker may not reach its rate; half of it is still a flood.
[ "$attacks" -ge 500000 ] || skip "the machine is too busy to send the flood ($attacks packets)"
"$CHECK" "$RUN" "h0=$(clock 0)" "h1=$(clock 1)" --max 60000 || fail "see above"
for counter in truncated oversized bad_version bad_mac replayed kernel_dropped; do
  tail -n 1 "$TMP/h1.out" | grep -q " $counter=[1-9]" || fail "$counter was not counted"
done
grep '"type":"fault"' "$RUN/h1.clock" | grep -q '"kind":"auth"' || fail "no fault was recorded"
# Seconds 6 to 13 of the run lie inside the flood; the first of it may pass the cap before it is noticed.
grep -o 'cpu=[0-9.]*' "$TMP/h1.out" | sed -n '6,13s/cpu=//p' | awk '{ sum += $1; n++ }
  END { printf "cpu during the flood: %.2f %%\n", sum / n; exit !(sum / n <= 2.0) }' || fail "the cpu cap was passed"
