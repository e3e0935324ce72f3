#!/usr/bin/env bash
# Without a key nothing leaves loopback; with a key that others can read, or of the wrong size, nothing starts.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/common.sh"
quick() { timeout 5 "$CLOCKD" --dir "$RUN" --job s --host h0 --seconds 1 "$@" 2>&1; }

quick --rendezvous tcp:192.0.2.77:4711 >"$TMP/out"
grep -q '"addresses":\["127.0.0.1"\]\|"addresses":\["::1"\]' "$RUN/h0.clock" ||
  fail "without a key the prober did not stay on loopback"
rm "$RUN/h0.clock"
NCCL_SOCKET_IFNAME=^lo quick --rendezvous none >"$TMP/out"
grep -q 'LOCKSTEP_CLOCK_KEY_FILE' "$TMP/out" || fail "no hint at the key: $(cat "$TMP/out")"
head -c 32 /dev/urandom >"$TMP/key"
chmod 644 "$TMP/key"
quick --key-file "$TMP/key" >"$TMP/out"
grep -q 'others may read it' "$TMP/out" || fail "a readable key was taken: $(cat "$TMP/out")"
head -c 31 /dev/urandom >"$TMP/key"
chmod 600 "$TMP/key"
quick --key-file "$TMP/key" >"$TMP/out"
grep -q 'another size' "$TMP/out" || fail "a short key was taken: $(cat "$TMP/out")"
[ ! -e "$RUN/h0.clock" ] || fail "records were written although probing was off"
quick --train 99 >"$TMP/out" && fail "an impossible option was taken"
grep -q 'LOCKSTEP_CLOCK_TRAIN=99' "$TMP/out" || fail "no sentence about the option: $(cat "$TMP/out")"
NCCL_SOCKET_IFNAME=lo quick >"$TMP/out"
key=$(find "$RUN/clock" -name key)
want_equal "mode of the key made in the run directory" "600 32" "$(stat -c '%a %s' "$key")"
