#!/usr/bin/env bash
# Directories that are no run: a sentence and exit code 3, never a crash, never "nothing wrong".
. "$(dirname "$0")/../lib.sh"

refused() { # refused WHAT DIR
  status=0
  "$BUILD/lockstep" diagnose "$2" >"$TMP/out" 2>"$TMP/err" || status=$?
  want_equal "exit code, $1" 3 $status
  [ -s "$TMP/err" ] || fail "$1: no sentence"
}
mkdir "$TMP/empty" "$TMP/foreign" "$TMP/hollow"
refused "no directory" "$TMP/nowhere"
refused "an empty directory" "$TMP/empty"
head -c 100000 /dev/urandom >"$TMP/foreign/host.1.0.lks"
refused "a foreign file" "$TMP/foreign"
: >"$TMP/hollow/host.1.0.lks"
refused "an empty segment" "$TMP/hollow"

LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/run LOCKSTEP_DUMP_INTERVAL_US=20000 "$BUILD/lockstep-emulate" --ranks 3 \
  --iterations 20 --rate 50 "$BUILD/libnccl-profiler.so" >"$TMP/played"
for segment in "$TMP"/run/*.lks; do truncate -s -100 "$segment"; done
status=0
"$BUILD/lockstep" diagnose "$TMP/run" >"$TMP/out" || status=$?
[ $status -le 1 ] || fail "torn segments: exit code $status"
grep -q "Not known" "$TMP/out" || fail "torn segments are not mentioned"
rm "$(find "$TMP/run" -name '*.lks' | head -1)"
status=0
"$BUILD/lockstep" diagnose "$TMP/run" >"$TMP/out" || status=$?
[ $status -le 1 ] || fail "a missing rank's file: exit code $status"
grep -q "not recorded" "$TMP/out" || fail "the missing recording is not mentioned: $(cat "$TMP/out")"
