#!/usr/bin/env bash
# Exports of directories that are missing, empty, foreign, damaged or half there: a sentence and the documented exit code.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/export/record.sh"
lockstep=$BUILD/lockstep
need jq jq
mkdir "$TMP/empty" "$TMP/foreign"
echo "not a segment" >"$TMP/foreign/notes.txt"
for format in perfetto csv inspector; do
  for bad in none empty foreign; do
    want_equal "$format of a directory that is $bad" 3 \
      "$(exit_code "$lockstep" export "$TMP/$bad" --to $format -o "$TMP/result")"
    sentence "$format of a directory that is $bad" "$TMP/$bad"
    [ ! -e "$TMP/result" ] || fail "$format of a directory that is $bad left a result"
  done
done

record straggler "$TMP/run"
want_equal "a format nobody knows" 2 "$(exit_code "$lockstep" export "$TMP/run" --to vhs -o "$TMP/result")"
want_equal "no output" 2 "$(exit_code "$lockstep" export "$TMP/run" --to perfetto)"
want_equal "a folder that is not there" 3 "$(exit_code "$lockstep" export "$TMP/run" --to perfetto -o "$TMP/no/trace")"
sentence "a folder that is not there" "$TMP/no/trace"

echo mine >"$TMP/result"
want_equal "an existing file" 3 "$(exit_code "$lockstep" export "$TMP/run" --to perfetto -o "$TMP/result")"
sentence "an existing file" --force
want_equal "the existing file" mine "$(cat "$TMP/result")"
want_equal "an existing file by force" 0 "$(exit_code "$lockstep" export "$TMP/run" --to perfetto -o "$TMP/result" --force)"
mkdir "$TMP/home" && echo years >"$TMP/home/work"
want_equal "somebody's directory by force" 3 "$(exit_code "$lockstep" export "$TMP/run" --to csv -o "$TMP/home" --force)"
want_equal "somebody's directory" years "$(cat "$TMP/home/work")"

if mkdir "$TMP/small" && mount -t tmpfs -o size=64k none "$TMP/small" 2>/dev/null; then
  want_equal "a full disk" 3 "$(exit_code "$lockstep" export "$TMP/run" --to perfetto -o "$TMP/small/trace")"
  sentence "a full disk" "No space left"
  want_equal "what a full disk leaves" 0 "$(find "$TMP/small" -type f | wc -l)"
  umount "$TMP/small"
fi

half=$TMP/half
cp -r "$TMP/run" "$half"
first=$(find "$half" -name '*.lks' | sort | head -1)
truncate -s $(($(stat -c %s "$first") / 2)) "$first"
rm "$(find "$half" -name '*.lks' | sort | tail -1)"
want_equal "half of a run" 1 "$(exit_code "$lockstep" export "$half" --to perfetto -o "$TMP/half.trace" --json)"
[ -s "$TMP/err" ] || fail "nothing was said about the damage of half a run"
left=$(jq .written.operations "$TMP/out")
{ [ "$left" -gt 0 ] && [ "$left" -lt 240 ]; } || fail "half a run has $left operations of 240"
