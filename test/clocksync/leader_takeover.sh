#!/usr/bin/env bash
# Two processes of one host: only one probes. When it is killed, the other takes over within two seconds, the gap is
# recorded, and the interval holds the truth before and after.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/common.sh"
export NCCL_SOCKET_IFNAME=lo
start() { # HOST NUMBER NAME
  "$CLOCKD" --dir "$RUN" --job t --host "$1" --verbose --virtual-clock "$(clock "$2")" >"$TMP/$3.out" 2>&1 &
  LAST=$!
  PIDS+=("$LAST")
}
start h1 1 other
start h0 0 first
first=$LAST
sleep 1
start h0 0 second
second=$LAST
wait_for 10 state_seen h0 steady || fail "the first process never probed"
sleep 2
tail -n 1 "$TMP/second.out" | grep -q 'leader=0' || fail "the second process probes beside the first"
kill -KILL "$first"
wait_for 3 grep -q 'leader=1' "$TMP/second.out" || fail "nobody took over within 3 s"
wait_for 2 grep -q '"kind":"takeover"' "$RUN/h0.clock" || fail "the takeover was not recorded"
sleep 6
kill -TERM "$second" "${PIDS[0]}"
wait "$second" "${PIDS[0]}" || fail "a prober did not end well"
PIDS=()
hellos=$(grep -c '"type":"hello"' "$RUN/h0.clock")
want_equal "sessions in h0.clock" 2 "$hellos"
nonces=$(grep '"type":"hello"' "$RUN/h0.clock" | grep -o '"nonce":[0-9]*' | sort -u | wc -l)
want_equal "different nonces" 2 "$nonces"
"$CHECK" "$RUN" "h0=$(clock 0)" "h1=$(clock 1)" || fail "see above"
