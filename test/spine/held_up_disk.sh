#!/usr/bin/env bash
# 8 MiB of buffers and a disk that stands still for 5 s: operations are kept before steps, every call is accounted for,
# and the log says so once.
. "$(dirname "$0")/lib.sh"
export LOCKSTEP_EVENTS=all LOCKSTEP_BUFFER_MB=8 LOCKSTEP_DIR=$TMP/run
line=$(LD_PRELOAD=$BUILD/test/libslow_write.so SLOW_WRITES=2 SLOW_WRITE_MS=2500 \
  "$BUILD/lockstep-storm" "$PLUGIN" --threads 1 --seconds 6 --rate 500 --steps 64 --latency 2>"$TMP/err")
want_equal "sentences about calls that were shed" 1 "$(grep -c 'calls were counted and not recorded' "$TMP/err")"
"$LOCKSTEP" verify "$TMP/run" >"$TMP/verify" || { cat "$TMP/verify"; fail "verify found a difference"; }
said='calls were not recorded because the memory cap was reached, between [0-9.]+ m?s and [0-9.]+ s after its first record$'
grep -qE "^note: .* process [0-9]+: [0-9]+ $said" "$TMP/verify" || fail "verify does not say when calls were shed: $(cat "$TMP/verify")"
"$LOCKSTEP" info "$TMP/run" | grep -qE ":[0-9]+: [0-9]+ $said" || fail "info does not say when calls were shed"
[ "$("$LOCKSTEP" info "$TMP/run" --json | jq '.processes[0] |
  .shed_from_raw_ns < .shed_to_raw_ns and .first_raw_ns < .shed_to_raw_ns')" = true ] ||
  fail "calls were shed at a time that cannot be: $("$LOCKSTEP" info "$TMP/run" --json)"

counts=$("$LOCKSTEP" count "$TMP/run" --json)
share() { jq --arg kind "$1" --argjson made "$line" '.starts[$kind] / $made.starts[$kind]' <<<"$counts"; }
[ "$(jq '.shed.ProxyStep // 0' <<<"$counts")" -gt 0 ] || fail "nothing was shed: the disk was not held up"
want_equal "share of Coll kept" 1 "$(share Coll)"
want_equal "share of CollApi kept" 1 "$(share CollApi)"
made=$(jq '[(.starts, .states, .stops) | .[]] | add' <<<"$line")
accounted=$(jq '([.starts[], .shed[]] | add) + .states + .stops' <<<"$counts")
want_equal "calls kept and shed" "$made" "$accounted"
[ "$("$LOCKSTEP" info "$TMP/run" --json | jq '.processes[0].overhead_percent > 0')" = true ] ||
  fail "info does not say what recording cost"
