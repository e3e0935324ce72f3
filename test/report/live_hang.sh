#!/usr/bin/env bash
# The page of a job that hangs while it is looked at, in headless Chromium: nothing is recorded any more, and it goes on all the
# same: the ranks stand there until now, for the one that never came.
# timeout: 200
. "$(dirname "$0")/../lib.sh"
need_live_page
run=$TMP/run
LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$run "$BUILD/lockstep-emulate" --ranks 4 --hang-rank 1 --at 20 --iterations 1000 --rate 20 \
  --stall-us 600000000 "$BUILD/libnccl-profiler.so" >"$TMP/counts" 2>&1 &
job=$!
server=
pids() { find "$run" -name '*.ctl' | sed 's/.*\.\([0-9]*\)\.ctl/\1/'; }
cleanup() {
  # shellcheck disable=SC2046
  kill -KILL $job $server $(pids) 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$TMP"
}
trap cleanup EXIT
hangs() { { "$BUILD/lockstep" diagnose "$run" --live --timeout 60 2>/dev/null || true; } | grep "^missing_rank" >/dev/null; }
for _ in $(seq 300); do hangs && break; sleep 0.2; done
hangs || fail "no hang: $("$BUILD/lockstep" diagnose "$run" --live --timeout 60 2>&1)"
"$BUILD/lockstep" serve "$run" >"$TMP/banner" 2>"$TMP/err" &
server=$!
until [ -s "$TMP/banner" ]; do kill -0 "$server" || fail "no server: $(cat "$TMP/err")"; sleep 0.1; done
node "$ROOT/test/report/live_hang.mjs" "$(head -1 "$TMP/banner" | awk '{ print $NF }')" || fail "the page of a job that hangs is not as it should be"
