#!/usr/bin/env bash
# Limits of the system and of options end in a sentence: no signal, no half of a file, no numbers of 309 digits.
. "$(dirname "$0")/../lib.sh"
lockstep=$BUILD/lockstep
exit_code() { "$@" >"$TMP/out" 2>"$TMP/err" && echo 0 || echo $?; }
LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-emulate" --ranks 2 --iterations 200 \
  "$BUILD/libnccl-profiler.so" >/dev/null

mkdir "$TMP/made"
small_files() { (ulimit -f 8 && exec "$@"); } # 8 KiB
for format in csv chrome perfetto; do
  want_equal "exit code of $format beyond the file size limit" 3 \
    "$(exit_code small_files "$lockstep" export "$TMP/run" --to $format -o "$TMP/made/out")"
  grep -q "File too large" "$TMP/err" || fail "$format: $(cat "$TMP/err")"
  want_equal "what is left of $format" "" "$(ls "$TMP/made")"
done
# The limit is a program's own affair.
want_equal "a program under lockstep run" 153 "$(exit_code small_files "$lockstep" run --dir "$TMP/runs" -- \
  dd if=/dev/zero of="$TMP/large" bs=64K count=1)"

# What was killed before its first dump and cannot be saved either: the reason is said, here that no file may grow.
mkdir "$TMP/shm"
LOCKSTEP_SHM_DIR=$TMP/shm LOCKSTEP_DUMP_INTERVAL_US=600000000 LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/killed \
  "$BUILD/lockstep-emulate" --ranks 2 --iterations 5 --end kill "$BUILD/libnccl-profiler.so" >/dev/null || true
want_equal "segments of what was killed before its first dump" 0 "$(find "$TMP/killed" -name '*.lks' | wc -l)"
told=$( (ulimit -f 0; LOCKSTEP_SHM_DIR=$TMP/shm "$lockstep" diagnose "$TMP/killed" 2>&1 || echo "exit code $?") | cat)
[[ $told == *"File too large"*"exit code 3" ]] || fail "the true reason is not said: $told"

mkdir "$TMP/bin"
cp "$lockstep" "$TMP/bin/"
echo "no library" >"$TMP/bin/libduckdb.so"
if (cd "$TMP" && ! ldconfig -p | grep -q libduckdb); then
  want_equal "a DuckDB that cannot be loaded" 3 "$(cd "$TMP" && exit_code bin/lockstep query "$TMP/run" "SELECT 1")"
  grep -q "cannot be loaded: .*libduckdb.so: " "$TMP/err" || fail "the reason is not named: $(cat "$TMP/err")"
fi

for words in "report $TMP/run --top -5" "report $TMP/run --top 0" "cat $TMP/run --rank -1" "cat $TMP/run --limit 0"; do
  # shellcheck disable=SC2086  # words
  want_equal "$words" 2 "$(exit_code "$lockstep" $words)"
  ! grep -qE '[0-9]{20}' "$TMP/out" "$TMP/err" || fail "$words: $(cat "$TMP/err")"
done
