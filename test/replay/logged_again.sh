#!/usr/bin/env bash
# test/plugins/call_log.cc writes logs that say what was called: a log that is played into it comes out again, but for times,
# threads and numbers of events.
. "$(dirname "$0")/../lib.sh"
need zstdcat zstd
calls() { # LOG: its calls in any order, the network plugin's address of a buffer left out
  zstdcat -f "$1" | sed -E '/^---/,$d; /^===/d; s/.*\) +(init|start|record|stop|finalize)/\1/; s/#[0-9]+/#/g
    s/pgroup=[0-9]+/pgroup/; s/ data=.*//; s/name=\(null\)/name=/; s/ +/ /g; s/ $//' | sort
}
for scenario in mix netplugin_allreduce split_finalize abort_middle gpu_mix gpu_hang; do
  logs=("$ROOT/test/data/calls/$scenario".?.txt.zst)
  CALL_LOG=$TMP/$scenario.%r.txt "$BUILD/lockstep-replay" "$BUILD/test/libcall_log.so" --fast --table v5 "${logs[@]}" \
    >"$TMP/out" 2>&1 || fail "$scenario: $(tail -1 "$TMP/out")"
  for log in "${logs[@]}"; do
    again=$TMP/$(basename "$log" .zst)
    diff <(calls "$log") <(calls "$again") >"$TMP/difference" || fail "$log (<) and again (>): $(head -4 "$TMP/difference")"
  done
  want_equal "$scenario: what lockstep-replay reads" "$("$BUILD/lockstep-replay" x "${logs[@]}" --expect)" \
    "$("$BUILD/lockstep-replay" x "$TMP/$scenario".?.txt --expect)"
done
