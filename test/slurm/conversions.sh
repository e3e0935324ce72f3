#!/usr/bin/env bash
# Work spread over four nodes by `--srun` gives the same tables and the same report, byte for byte, as one node alone.
# The CSV tables are made from local disks: each node has the recordings of its own host and no others.
# timeout: 450
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
. "$(dirname "$0")/apart.sh"
apart_up 4
cat >"$TMP/job" <<SCRIPT
#!/bin/bash
set -e
lockstep() { "$BUILD/lockstep" "\$@"; }
lockstep run --dir "$RUNS" --events all -- srun "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" \
  --iterations 100 --rate 100 --sendrecv --stall-us 30000000
dir=\$(echo "$RUNS"/lockstep-*)
cd "$TMP"
srun -N4 -n4 --ntasks-per-node=1 bash -c 'mkdir \$LOCAL/run; cp -r '"\$dir"'/\$(hostname) '"\$dir"'/clock_model.json \$LOCAL/run'
lockstep export "\$dir" --to csv -o one.csv --json | jq .written >one.csv.json
lockstep export "\$LOCAL/run" --to csv -o four.csv --srun --json | jq .written >four.csv.json
lockstep report "\$dir" -o one.report
lockstep report "\$dir" -o four.report --srun
lockstep export "\$dir" --to parquet -o one.parquet 2>"$TMP/no-duckdb" || exit 0
lockstep export "\$dir" --to parquet -o four.parquet --srun
SCRIPT
job=$(sbatch --parsable -N4 --ntasks-per-node=2 -o "$TMP/job.out" "$TMP/job")
wait_for 300 job_is_over "$job" || fail "the job does not end: $(cat "$TMP/job.out")"
scontrol -o show job "$job" | grep -q JobState=COMPLETED || fail "the job: $(cat "$TMP/job.out")"
for what in csv csv.json report; do
  diff -r "$TMP/one.$what" "$TMP/four.$what" >"$TMP/diff" || fail "$what differs: $(head -c 2000 "$TMP/diff")"
done
[ "$(wc -l <"$TMP/one.csv/proxy_steps.csv")" -gt 1000 ] || fail "hardly any network steps in the tables"
want_equal "hosts in the tables" 4 "$(cut -d, -f4 "$TMP/four.csv/events.csv" | sort -u | grep -c '^n[1-4]$')"
want_equal "what is left of the parts" "" "$(find "$TMP" -maxdepth 2 -name '*.parts-*')"
if [ ! -e "$TMP/one.parquet" ]; then
  grep -q "there is no DuckDB library" "$TMP/no-duckdb" || fail "parquet: $(cat "$TMP/no-duckdb")"
else
  diff -r "$TMP/one.parquet" "$TMP/four.parquet" >"$TMP/diff" || fail "parquet differs: $(cat "$TMP/diff")"
fi

rc=0
"$BUILD/lockstep" report "$RUNS"/lockstep-* -o "$TMP/none" --srun 2>"$TMP/err" || rc=$?
want_equal "outside of a job" 3 "$rc"
grep -q "belongs into a batch script" "$TMP/err" || fail "no sentence outside of a job: $(cat "$TMP/err")"
