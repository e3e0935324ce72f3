#!/usr/bin/env bash
# Several ranks in one process, sharing the plugin: the same calls as with a process for each, all of them recorded.
. "$(dirname "$0")/../lib.sh"
need jq jq
export LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0
emulate() { LOCKSTEP_DIR=$TMP/$1 "$BUILD/lockstep-emulate" --ranks 8 --iterations 20 "${@:2}" "$BUILD/libnccl-profiler.so"; }
emulate apart >"$TMP/apart.json"
emulate together --ranks-per-process 4 >"$TMP/together.json"
want_equal "processes" 2 "$(jq .processes "$TMP/together.json")"
want_equal "calls" "$(jq -cS '[.starts, .states.ProxyOp, .stops]' "$TMP/apart.json")" "$(jq -cS '[.starts, .states.ProxyOp, .stops]' "$TMP/together.json")"
"$BUILD/lockstep" verify "$TMP/together" >"$TMP/verify" || fail "$(cat "$TMP/verify")"
want_equal "starts recorded" "$(jq -cS .starts "$TMP/together.json")" "$("$BUILD/lockstep" count "$TMP/together" --json | jq -cS .starts)"
code=0
"$BUILD/lockstep-emulate" --ranks 8 --ranks-per-process 3 "$BUILD/libnccl-profiler.so" 2>/dev/null || code=$?
want_equal "exit code of ranks that cannot be shared out" 2 $code
