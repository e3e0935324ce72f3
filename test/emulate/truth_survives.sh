#!/usr/bin/env bash
# The truth file says what happened, also of ranks that were killed, hung or never came to an end.
. "$(dirname "$0")/../lib.sh"
need jq jq
emulate() { "$BUILD/lockstep-emulate" "$BUILD/test/libcount.so" "$@" >"$TMP/out.json"; }
lines() { jq -s "map(select($2)) | length" "$1"; }

emulate --ranks 3 --iterations 12 --truth "$TMP/whole" --late-rank 2 --late-us 100 --late-fraction 0.5
for rank in 0 1 2; do
  file=$TMP/whole.$rank
  want_equal "calls of rank $rank" 12 "$(lines "$file" '.type == "call"')"
  want_equal "completions of rank $rank" 12 "$(lines "$file" '.type == "done"')"
  want_equal "culprit known to rank $rank" 2 "$(jq -s '.[0].culprit' "$file")"
  want_equal "last line of rank $rank" counts "$(tail -1 "$file" | jq -r .type)"
  want_equal "late iterations known to rank $rank" "$(lines "$TMP/whole.0" '.late_rank == 2')" \
    "$(lines "$file" '.late_rank == 2')"
done
want_equal "completions before their call" 0 "$(jq -s '[.[] | select(.type == "call" or .type == "done")]
  | group_by(.id) | map(select(.[0].raw_ns > .[1].raw_ns)) | length' "$TMP/whole.1")"
want_equal "counts of all ranks" "$(jq -cS .starts "$TMP/out.json")" \
  "$(jq -cS -s 'map(select(.type == "counts").starts) | reduce (.[] | to_entries[]) as $e ({}; .[$e.key] += $e.value)' \
    "$TMP"/whole.?)"

emulate --ranks 3 --iterations 10 --truth "$TMP/dead.%r" --dead-rank 1 --at 4 --stall-us 300000
want_equal "calls of the dead rank" 5 "$(lines "$TMP/dead.1" '.type == "call"')"
want_equal "counts of the dead rank" 5 "$(tail -1 "$TMP/dead.1" | jq .starts.CollApi)"
want_equal "finalizes of the dead rank" 0 "$(tail -1 "$TMP/dead.1" | jq .finalizes)"
want_equal "finalizes of a survivor" 1 "$(tail -1 "$TMP/dead.0" | jq .finalizes)"

emulate --ranks 2 --iterations 10 --truth "$TMP/hang" --hang-rank 1 --at 6 --stall-us 300000
want_equal "calls of the hanging rank" 6 "$(lines "$TMP/hang.1" '.type == "call"')"
want_equal "calls of the waiting rank" 7 "$(lines "$TMP/hang.0" '.type == "call"')"
want_equal "completions of the waiting rank" 6 "$(lines "$TMP/hang.0" '.type == "done"')"

emulate --ranks 2 --iterations 1000000 --truth "$TMP/killed" --kill-after 400000
want_equal "last line of a killed rank" counts "$(tail -1 "$TMP/killed.0" | jq -r .type)"
calls=$(lines "$TMP/killed.0" '.type == "call"')
counted=$(tail -1 "$TMP/killed.0" | jq '.starts.CollApi // 0')
if [ $((calls - counted)) -gt 1 ] || [ "$counted" -gt "$calls" ]; then
  fail "a killed rank noted $calls calls but counted $counted"
fi
