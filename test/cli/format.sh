#!/usr/bin/env bash
# docs/format.md is true: a reader in another language, made from that page alone, finds what `lockstep cat` finds.
. "$(dirname "$0")/../lib.sh"
need jq jq
need python3 python3
need zstd zstd
LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=all LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-replay" "$BUILD/libnccl-profiler.so" \
  "$ROOT"/test/data/calls/mix.?.txt.zst --fast >/dev/null

python3 "$ROOT/test/cli/dissect_segment.py" "$ROOT/docs/format.md" "$ROOT/include/lockstep" "$TMP"/run/*.lks | sort >"$TMP/dissected"
"$BUILD/lockstep" cat "$TMP/run" | jq -r 'select(.kind) | "\(.tid) \(.call) \(.kind) \(.id) \(.parent // "")"' | sort >"$TMP/printed"
[ -s "$TMP/printed" ] || fail "lockstep cat printed nothing"
cmp "$TMP/dissected" "$TMP/printed" || fail "by docs/format.md the segments hold something else: $(diff "$TMP/dissected" "$TMP/printed" | head -5)"
