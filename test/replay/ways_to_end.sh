#!/usr/bin/env bash
# A replay can stop early and end in every way a job can; bad input is refused with file and line.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/replay/counts.sh"
need jq jq
replay() { "$BUILD/lockstep-replay" "$BUILD/test/libcount.so" "$@"; }
log=$ROOT/test/data/calls/mix.0.txt.zst

count_into "$TMP/until"
all=$(replay "$log" --expect | jq '[.starts[]] | add')
part=$(replay "$log" --fast --until 200000)
want_equal "calls seen until 200 ms" "$(driver_counts "$part")" "$(plugin_counts "$TMP/until")"
[ "$(jq '[.starts[]] | add' <<<"$part")" -lt "$all" ] || fail "--until played the whole log"
want_equal "finalizes after --until" 0 "$(jq .finalizes <<<"$part")"

want_equal "finalizes with --end finalize" 1 "$(replay "$log" --fast --until 200000 --end finalize | jq .finalizes)"

count_into "$TMP/killed"
replay "$log" --fast --until 200000 --end kill >"$TMP/killed.out" || fail "a wanted kill must not count as a failure"
want_equal "files of a killed plugin" 0 "$(find "$TMP/killed" -name '*.json' | wc -l)"
want_equal "counts survive the kill" "$part" "$(cat "$TMP/killed.out")"

zstd -dcq "$log" >"$TMP/bad.txt"
sed -i '40s/ctx=/context=/' "$TMP/bad.txt"
if replay "$TMP/bad.txt" --fast 2>"$TMP/err"; then fail "a damaged line was accepted"; fi
grep -q 'bad.txt:40: unknown context' "$TMP/err" || fail "the error does not name file and line: $(cat "$TMP/err")"

head -c 3000 "$log" >"$TMP/cut.zst"
if replay "$TMP/cut.zst" --fast 2>"$TMP/err"; then fail "a cut file was accepted"; fi
grep -q 'cut off' "$TMP/err" || fail "the error does not say that the file is cut off: $(cat "$TMP/err")"

rc=0
"$BUILD/lockstep-replay" "$BUILD/test/libmissing.so" "$log" 2>"$TMP/err" >/dev/null || rc=$?
want_equal "exit status without a plugin" 3 "$rc"
