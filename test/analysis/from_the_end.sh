#!/usr/bin/env bash
# A long run that hangs is judged by its end, and the verdict is that of the whole run: for every kind of hang that can be
# simulated, some six minutes long each, and for an hour of four ranks, whose beginning is not even read.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
unread="the hang is explained without it, so it was not read"

hangs() { # hangs RUN OPTION...: the hangs that are found, without what only counts how much was read
  code=0
  "$lockstep" diagnose "$@" --json >"$TMP/answer" 2>"$TMP/err" || code=$?
  [ $code -le 1 ] || fail "diagnose $* ended with $code: $(cat "$TMP/err")"
  jq -cS '.findings[] | select(.kind | IN("straggler", "slow_link", "slow_proxy", "slow_gpu", "machine_overloaded",
    "slower_than_expected") | not) | del(.evidence, .why_evidence, .confidence)' "$TMP/answer"
}
same() { # same RUN: counts whether a hang was found, and whether the end was enough for it
  hangs "$1" >"$TMP/end"
  grep -q "$unread" "$TMP/answer" && ends=$((ends + 1))
  hangs "$1" --from 0 >"$TMP/whole"
  ! grep -q "$unread" "$TMP/answer" || fail "$1: --from 0 does not read everything"
  [ -s "$TMP/whole" ] && found=$((found + 1))
  diff "$TMP/whole" "$TMP/end" || fail "$1: the verdict of the end is another"
}
ends=0 found=0
for class in missing-rank stuck-gpu stuck-transport dead-process lost-host wrong-order deadlock mismatch-size mismatch-function; do
  "$BUILD/lockstep-simulate" "$TMP/$class" --class "$class" --seed 50 --ranks 8 --gpus-per-host 4 --schedule \
    "$([ $class = deadlock ] && echo tp-dp || echo zero)" --steps 100 --at 97 --layers 4 --layer-us 300000 --events step
  same "$TMP/$class"
done
# Where a simulated watchdog ended the job too soon for a long operation, nobody is accused.
[ $found -ge 7 ] || fail "only $found of nine hangs were found"
[ $ends -ge 4 ] || fail "only $ends of nine hangs were judged by their ends"

hour=(--ranks 4 --operations 14400 --every-ms 250)
"$BUILD/lockstep-generate" "$TMP/hung" "${hour[@]}" --hang-rank 1
ends=0
same "$TMP/hung"
want_equal "the hour's end is enough" 1 $ends
for segment in "$TMP"/hung/*.lks; do
  printf 'damage' | dd of="$segment" bs=1 seek=$(($(stat -c %s "$segment") / 10)) conv=notrunc status=none
done
hangs "$TMP/hung" --from 0 >"$TMP/whole"
grep -q "chunk" "$TMP/answer" "$TMP/err" || fail "damage in the first minutes is not seen where they are read"
hangs "$TMP/hung" >"$TMP/end"
diff "$TMP/whole" "$TMP/end" || fail "the verdict of the end is another beside damage"
! grep -qi "damage" "$TMP/answer" || fail "the first minutes were read: $(jq -c .not_known "$TMP/answer")"

# Who is late tells the whole run, also where it ended in the middle of an operation.
"$BUILD/lockstep-generate" "$TMP/late" "${hour[@]}" --late-rank 2 --late-us 100000
"$lockstep" diagnose "$TMP/late" --json >"$TMP/answer" || [ $? = 1 ] || fail "diagnose ended with $?"
! grep -q "$unread" "$TMP/answer" || fail "only the end of a run that does not hang was read"
want_equal "who is late" '[2]' "$(jq -c '.findings[0].culprits' "$TMP/answer")"
