#!/usr/bin/env bash
# serial
# A relay between two probers adds 20 us to one direction, exponential jitter, 2 % loss and 2 % duplicates: the
# interval holds the truth everywhere, and estimate and interval are what the fastest packets of each direction allow.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/common.sh"
need jq jq
P=$((20000 + $$ % 20000))
background "$BUILD/lockstep-relay" --port-for-a $P --port-for-b $((P + 1)) --a $((P + 2)) --b $((P + 3)) \
  --delay-ab-us 20 --jitter-us 50 --loss 0.02 --duplicate 0.02 --seconds 12
background "$CLOCKD" --dir "$RUN" --job relay --host h0 --seconds 10 --virtual-clock "$(clock 0)" \
  --rendezvous "static:h0=127.0.0.1:$((P + 2)),h1=127.0.0.1:$P" >"$TMP/h0.out"
background "$CLOCKD" --dir "$RUN" --job relay --host h1 --seconds 10 --virtual-clock "$(clock 1)" \
  --rendezvous "static:h0=127.0.0.1:$((P + 1)),h1=127.0.0.1:$((P + 3))" >"$TMP/h1.out"
wait_all
cat "$TMP"/h?.out
"$CHECK" "$RUN" "h0=$(clock 0)" "h1=$(clock 1)" >"$TMP/check" || fail "$(cat "$TMP/check")"
cat "$TMP/check"
jq -e '.fastest_ab_ns >= 20000' "$TMP/check" >/dev/null || fail "the relay did not hold packets up by 20 us"
grep -q 'replayed=' "$TMP/h1.out" || fail "duplicates were not counted"
grep '"type":"window_stats"' "$RUN/h1.clock" | grep -q '"lost":[1-9]' || fail "losses were not counted"
