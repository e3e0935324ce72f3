#!/usr/bin/env bash
# `lockstep stacks` is killed at any moment: no thread of the job stays stopped (T or t), and the next one is answered.
# LONG=1: 200 times instead of 12.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/live/libdw.sh"
times=$([ -n "${LONG:-}" ] && echo 200 || echo 12)
LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/run LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 LOCKSTEP_BUFFER_MB=4 \
  "$BUILD/lockstep-places" "$BUILD/libnccl-profiler.so" --ranks 6 >"$TMP/places" 2>&1 &
job=$!
trap 'kill $job 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT
for _ in $(seq 600); do
  [ "$(wc -l <"$TMP/places")" != 6 ] || break
  sleep 0.1
done
stopped() {  # thread and state of each that is
  local pid
  while read -r _ pid _; do
    awk '$3 ~ /[Tt]/ { print $1, $3 }' "/proc/$pid/task/"*/stat 2>/dev/null || true
  done <"$TMP/places"
}
full=$("$BUILD/lockstep" stacks "$TMP/run" --threads all --samples 1 --timeout 60 | head -2 | tail -1)
killed=0
for n in $(seq "$times"); do
  # A hundred samples take 20 s: the asker always dies in the middle.
  "$BUILD/lockstep" stacks "$TMP/run" --threads all --samples 100 --timeout 60 >/dev/null 2>&1 &
  asker=$!
  sleep "0.$(printf %03d $((n * 37 % 250)))"
  kill -9 $asker && killed=$((killed + 1))
  wait $asker 2>/dev/null || true
  for _ in $(seq 300); do  # the kernel lets go when the asker's last thread is gone
    [ -n "$(stopped)" ] || break
    sleep 0.1
  done
  [ -z "$(stopped)" ] || fail "after $n kills threads are stopped: $(stopped)"
done
want_equal "askers killed" "$times" $killed
kill -0 $job || fail "the job did not survive"
after=$("$BUILD/lockstep" stacks "$TMP/run" --threads all --samples 1 --timeout 60 | head -2 | tail -1)
want_equal "stops of single threads" "${full%%:*}" "${after%%:*}"
