#!/usr/bin/env bash
# timeout: 900
# What a job does in a day, in a minute: 1,000,000 operations over 10,000 communicators with threads of their own. Nothing
# is lost, and the process holds no more than after the first tenth, when buffers and encoder were as large as they get:
# the disk stood still for its first second. COMMUNICATORS and OPERATIONS (on each) choose other numbers.
. "$(dirname "$0")/lib.sh"
export LOCKSTEP_EVENTS=all LOCKSTEP_BUFFER_MB=512 LOCKSTEP_DIR=$TMP/run
line=$(LD_PRELOAD=$BUILD/test/libslow_write.so SLOW_WRITES=1 SLOW_WRITE_MS=1000 "$BUILD/lockstep-churn" "$PLUGIN" \
  --communicators "${COMMUNICATORS:-10000}" --operations "${OPERATIONS:-100}" --rate 40000)
growth() { jq ".final.$1 - .warm.$1" <<<"$line"; }
echo "$(jq -c '{communicators, operations, warm, final}' <<<"$line"); $(find "$TMP/run" -name '*.lks' | wc -l) segments"
[ "$(growth memory_kb)" -lt 1024 ] || fail "memory grew by $(growth memory_kb) KiB"
want_equal "growth of open handles" 0 "$(growth handles)"
want_equal "growth of threads" 0 "$(growth threads)"
[ "$(growth mappings)" -lt 20 ] || fail "there are $(growth mappings) more mappings"  # a thread's stack may be kept for the next
want_recorded "a long life" "$line" "$TMP/run"
want_equal "calls lost" 0 "$(lost "$TMP/run")"
