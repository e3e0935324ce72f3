#!/usr/bin/env bash
# --last, --from, --to, --ranks and --comm: what a command says of a part of a run is what it says of that part of the
# whole.
. "$(dirname "$0")/../lib.sh"
lockstep=$BUILD/lockstep
need jq jq

# Three ranks, 900 operations, four a second: 225 s.
"$BUILD/lockstep-generate" "$TMP/run" --ranks 3 --operations 900 --every-ms 250 --hang-rank 1
span=(--from 100s --to 1m40.5s)

status() { "$lockstep" "$@" >"$TMP/out" 2>"$TMP/err" && echo 0 || echo $?; }
usage() { # usage WORDS OPTION...: refused, and the sentence has these words
  words=$1
  shift
  want_equal "exit code of $*" 2 "$(status count "$TMP/run" "$@")"
  grep -q -- "$words" "$TMP/err" || fail "$*: $(cat "$TMP/err")"
}
usage "--last 5 minutes: a length of time" --last "5 minutes"
usage "--last 0s" --last 0s
usage "--from yesterday: a time since the run's first record" --from yesterday
usage "2026-11-22T13:05:00Z" --to 2026-11-22
usage "--ranks 3-1: numbers and ranges" --ranks 3-1
usage "--last excludes --from\|--from excludes --last" --last 5s --from 3s
want_equal "a time after the run" 3 "$(status count "$TMP/run" --from 2h)"
grep -q "nothing was recorded from 7200.000 s .* it is 22[0-9.]* s long" "$TMP/err" || fail "$(cat "$TMP/err")"
want_equal "ranks that are none" 3 "$(status count "$TMP/run" --ranks 7-9)"
grep -q "those recorded go up to rank 2" "$TMP/err" || fail "$(cat "$TMP/err")"

# Killed processes of real NCCL: what recovery wrote last only counts calls, and the run ends with its last record all the same.
killed=$ROOT/test/data/recordings/hang_ahead
want_equal "the end of a recovered run" 0 "$(status count "$killed" --last 1s)"
want_equal "a time after a recovered run" 3 "$(status count "$killed" --from 1h)"
grep -q "it is 2\.6[0-9]* s long" "$TMP/err" || fail "$(cat "$TMP/err")"

# cat and count, record by record; the generator's proxy threads write equal times in any order. The run's first record is the earliest of the three inits.
"$lockstep" cat "$TMP/run" >"$TMP/all"
first=$(head -1 "$TMP/all" | jq .raw_ns 2>/dev/null || true)
case $first in '' | null) fail "cat has no raw_ns: $(head -1 "$TMP/all")" ;; esac
awk -F'[:,]' -v from=$((first + 100000000000)) -v to=$((first + 100500000000)) '$2 >= from && $2 <= to' "$TMP/all" | sort >"$TMP/expected"
"$lockstep" cat "$TMP/run" "${span[@]}" | sort >"$TMP/part"
[ -s "$TMP/expected" ] || fail "nothing in the span"
cmp "$TMP/expected" "$TMP/part" || fail "cat of a span is not that part of cat: $(diff "$TMP/expected" "$TMP/part" | head -4)"
want_equal "count of a span" "$(wc -l <"$TMP/expected")" "$("$lockstep" count "$TMP/run" "${span[@]}" --json | jq .records)"
want_equal "count of a rank" "$("$lockstep" cat "$TMP/run" --rank 2 | wc -l)" \
  "$("$lockstep" count "$TMP/run" --ranks 2 --json | jq .records)"
want_equal "cat of a rank" "$("$lockstep" cat "$TMP/run" --rank 2 | md5sum)" "$("$lockstep" cat "$TMP/run" --ranks 2 | md5sum)"
want_equal "a communicator by name" "$(wc -l <"$TMP/all")" "$("$lockstep" cat "$TMP/run" --comm world | wc -l)"
want_equal "a communicator by id" "$(wc -l <"$TMP/all")" "$("$lockstep" cat "$TMP/run" --comm 0xabcdef | wc -l)"
want_equal "another communicator" 0 "$("$lockstep" cat "$TMP/run" --comm other | wc -l)"
at=$((1700000000000000000 + first + 100000000000))
date=$(date -u -d "@$((at / 1000000000))" +%FT%T).$(printf %09d $((at % 1000000000)))Z
want_equal "a date" "$(md5sum <"$TMP/expected")" "$("$lockstep" cat "$TMP/run" --from "$date" --to 100.5s | sort | md5sum)"

# The hang is at the end, and a part of the run is enough to see it.
named() { jq -c '.findings[0] | [.kind, .op, .ordinal, .culprits]'; }
want_equal "diagnose of the whole" 1 "$(status diagnose "$TMP/run" --json)"
named <"$TMP/out" >"$TMP/whole"
want_equal "the verdict" '["missing_rank","AllGather",179,[1]]' "$(cat "$TMP/whole")"
want_equal "diagnose of the last five seconds" 1 "$(status diagnose "$TMP/run" --json --last 5s)"
want_equal "the verdict from the last five seconds" "$(cat "$TMP/whole")" "$(named <"$TMP/out")"
want_equal "a healthy part" 0 "$(status diagnose "$TMP/run" --from 60s --to 90s)"

"$lockstep" report "$TMP/run" "${span[@]}" -o "$TMP/report" >/dev/null || fail "report of a span"
want_equal "operations of the report" 6 "$(tail -1 "$TMP/report/operations.csv" | cut -d, -f8)"
"$lockstep" export "$TMP/run" --from 100s --until 1m40.5s --to csv -o "$TMP/csv" >/dev/null || fail "export of a span"
want_equal "operations of the export" 6 "$(tail -n +2 "$TMP/csv/operations.csv" | wc -l)"

need_duckdb "$TMP/run"
columns="rank, func, ordinal, state, count, size_bytes, event_id, api_start_ns, enqueue_ns, finish_ns"
rows() { "$lockstep" query "$TMP/run" --csv "$@"; }
rows "SELECT $columns FROM operations WHERE greatest(finish_ns, last_progress_ns) >= $first + 100000000000
  AND api_start_ns <= $first + 100500000000 ORDER BY rank, api_start_ns" >"$TMP/expected"
rows "${span[@]}" "SELECT $columns FROM operations ORDER BY rank, api_start_ns" >"$TMP/part"
[ "$(wc -l <"$TMP/part")" -gt 3 ] || fail "no operation in the span"
cmp "$TMP/expected" "$TMP/part" || fail "operations of a span: $(diff "$TMP/expected" "$TMP/part" | head)"
arrivals="m.func, m.ordinal, a.rank, a.arrival_ns, a.wait_ns, a.finish_ns FROM arrivals a JOIN matches m USING (match)"
rows "SELECT $arrivals WHERE m.finish_ns >= $first + 100000000000 AND m.start_ns <= $first + 100500000000
  ORDER BY m.start_ns, a.rank" >"$TMP/expected"
rows "${span[@]}" "SELECT $arrivals ORDER BY m.start_ns, a.rank" >"$TMP/part"
cmp "$TMP/expected" "$TMP/part" || fail "arrivals of a span: $(diff "$TMP/expected" "$TMP/part" | head)"
for table in events proxy_steps; do
  rows "SELECT event_id, rank, start_ns, stop_ns FROM $table WHERE coalesce(stop_ns, $first + 100000000000) >= $first + 100000000000
    AND start_ns <= $first + 100500000000 ORDER BY ALL" >"$TMP/expected"
  rows "${span[@]}" "SELECT event_id, rank, start_ns, stop_ns FROM $table ORDER BY ALL" >"$TMP/part"
  cmp "$TMP/expected" "$TMP/part" || fail "$table of a span: $(diff "$TMP/expected" "$TMP/part" | head)"
done

# The lines of the page about it, on a run that is long enough.
cd "$TMP"
"$BUILD/lockstep-generate" my-run --ranks 4 --operations 5600 --every-ms 1000
mkdir bin
ln -s "$lockstep" bin/lockstep
sed -n '/^```sh$/,/^```$/p' "$ROOT/docs/part-of-a-run.md" | grep '^lockstep ' >lines
want_equal "lines of the page" 4 "$(wc -l <lines)"
while read -r line; do
  PATH=$TMP/bin:$PATH bash -c "$line" >out 2>err </dev/null || fail "$line: $(cat err)"
  [ -s out ] || fail "$line prints nothing"
done <lines
[ -s part.pftrace ] || fail "the page's export wrote nothing"

# Threads are written one after the other: a chunk may have the call of an operation whose end is in the one before, which
# a part leaves out. It is no hang.
"$BUILD/lockstep-simulate" "$TMP/jobs" --class missing-rank --seed 50 --ranks 8 --gpus-per-host 4 --steps 100 --at 97 \
  --layers 4 --layer-us 100000 --events step
for part in "--from 0" "--last 20s"; do
  # shellcheck disable=SC2086
  want_equal "exit code of diagnose $part" 1 "$(status diagnose "$TMP/jobs" --json $part)"
  want_equal "the hang, $part" '["AllReduce",391,[2],0]' \
    "$(jq -c '.findings[0] | [.op, .ordinal, .culprits, (.consequences | length)]' "$TMP/out")"
done
