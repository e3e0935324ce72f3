#!/usr/bin/env bash
# docs/format.md is true: a reader in another language, made from that page alone, finds in every field of every kind
# what `lockstep cat` finds, whichever version of NCCL's table it was recorded through.
# timeout: 600
. "$(dirname "$0")/../lib.sh"
need jq jq
need python3 python3
need zstd zstd
lockstep=$BUILD/lockstep
page=$ROOT/docs/format.md
dissect() { python3 "$ROOT/test/cli/dissect_segment.py" "$@" | sort; }

sed '1,/<!-- fields -->/d; /<!-- end of fields -->/,$d' "$page" >"$TMP/listed"
"$lockstep" cat --fields | diff "$TMP/listed" - >"$TMP/changes" ||
  fail "the list of fields in docs/format.md differs from include/lockstep/record_fields.h; put in what build/lockstep cat --fields prints: $(cat "$TMP/changes")"

export LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=all
for table in v1 v2 v3 v4 v5 v6 v7; do
  LOCKSTEP_DIR=$TMP/$table "$BUILD/lockstep-replay" "$BUILD/libnccl-profiler.so" --fast --table $table \
    "$ROOT"/test/data/calls/mix.?.txt.zst >/dev/null
done
LOCKSTEP_DIR=$TMP/net "$BUILD/lockstep-replay" "$BUILD/libnccl-profiler.so" --fast \
  "$ROOT"/test/data/calls/netplugin_allreduce.?.txt.zst >/dev/null
LOCKSTEP_DIR=$TMP/all "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --table v7 --iterations 3 --ce --net-events \
  --sendrecv --stall-us 60000000 >/dev/null
for table in 1 7; do
  LOCKSTEP_DIR=$TMP/fields$table "$BUILD/lockstep-fields" "$BUILD/libnccl-profiler.so" $table
done

LOCKSTEP_DIR=$TMP/marks "$BUILD/lockstep-marks" "$BUILD/libnccl-profiler.so" --steps 3 --threads 2 --ranges 3 >/dev/null

for run in v1 v2 v3 v4 v5 v6 v7 net all fields1 fields7 marks; do
  dissect "$page" "$TMP/$run"/*.lks >"$TMP/dissected"
  "$lockstep" cat "$TMP/$run" | dissect cat >"$TMP/printed"
  [ -s "$TMP/printed" ] || fail "$run: lockstep cat printed nothing"
  cmp "$TMP/dissected" "$TMP/printed" || fail "$run: by docs/format.md the segments hold something else: $(diff "$TMP/dissected" "$TMP/printed" | head -5)"
  cat "$TMP/printed" >>"$TMP/everything"
done
jq -r '.fields | select(.call == "start") | .kind' "$TMP/everything" | sort -u >"$TMP/kinds"
want_equal "kinds compared" "16" "$(wc -l <"$TMP/kinds")"
want_equal "calls of communicators compared" "comm_finalize comm_info comm_init" \
  "$(jq -r '.fields.call | select(startswith("comm_"))' "$TMP/everything" | sort -u | xargs)"
