#!/usr/bin/env bash
# However a program is started (array tasks, a heterogeneous job, several steps at once, `lockstep run` inside of a
# step, outside of a job, with nothing but the site's task prolog), each start has a directory of its own that holds
# all of it, and the program's exit code comes through.
# timeout: 400
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
cat >"$TMP/prolog" <<PROLOG
#!/bin/sh
PLUGIN=$BUILD/libnccl-profiler.so RUNS=$RUNS/prolog exec "$ROOT/slurm/task-prolog.sh"
PROLOG
chmod 755 "$TMP" "$TMP/prolog"
cluster_up 2 "TaskProlog=$TMP/prolog"

# Each task is a world of its own: two ranks, 5 iterations.
RUN="\"$BUILD/lockstep\" run --dir"
PAIR="\"$BUILD/lockstep-emulate\" \"$BUILD/libnccl-profiler.so\" --ranks 2 --sizes 1024 65536 --stall-us 30000000 --rate 20 --iterations"
WORLD="$PAIR 5"
directories() { (cd "$1" && echo *); }
operations() { "$BUILD/lockstep" count "$1" --json | jq .starts.Coll; }
batch() {  # batch NAME SBATCH_OPTION...: the script on stdin, to its end
  { echo "#!/bin/bash"; cat; } >"$TMP/$1.sh"
  id=$(sbatch --parsable -o "$TMP/$1.%a.out" "${@:2}" "$TMP/$1.sh")
  wait_for 200 job_is_over "$id" || fail "$1 does not end: $(squeue; cat "$TMP/$1".*out)"
}

batch array -a 1-2 -n1 <<SCRIPT
for i in 0 1; do $RUN "$RUNS/array" -- $WORLD & done
wait
SCRIPT
want_equal "array" "lockstep-${id}_1.0 lockstep-${id}_1.1 lockstep-${id}_2.0 lockstep-${id}_2.1" "$(directories "$RUNS/array")"
for dir in "$RUNS"/array/*; do want_equal "$dir: operations" 10 "$(operations "$dir")"; done

batch hetero -N1 -n2 -w n1 : -N1 -n1 -w n2 <<SCRIPT
$RUN "$RUNS/hetero" -- srun --het-group=0,1 $WORLD
SCRIPT
want_equal "hetero" "lockstep-$id.0" "$(directories "$RUNS/hetero")"
want_equal "hetero: operations of three tasks" 30 "$(operations "$RUNS/hetero/lockstep-$id.0")"
want_equal "hetero: nodes in run.json" 2 "$(jq .nodes "$RUNS/hetero/lockstep-$id.0/run.json")"
for part in recover recover.1; do
  want_equal "hetero: $part.txt" "nothing to recover" "$(cat "$RUNS/hetero/lockstep-$id.0/summary/$part.txt")"
done

batch steps -N2 -n4 <<SCRIPT
$RUN "$RUNS/steps" -- srun -N1 -n1 --exact $WORLD &
$RUN "$RUNS/steps" -- srun -N2 -n2 --exact $WORLD &
wait
$RUN "$RUNS/steps" -- bash -c 'for i in 0 1; do srun -N1 -n1 --exact $WORLD & done; wait'
srun -N2 -n2 $RUN "$RUNS/inside" -- $WORLD
srun -N2 -n2 $RUN "$RUNS/inside" -- $WORLD
SCRIPT
want_equal "steps" "lockstep-$id.0 lockstep-$id.1 lockstep-$id.2" "$(directories "$RUNS/steps")"
want_equal "steps: operations of one, two and two tasks" "10 20 20" \
  "$(for dir in "$RUNS"/steps/*; do operations "$dir"; done | sort -n | xargs)"
want_equal "\`lockstep run\` in two tasks of a step" 2 "$(find "$RUNS/inside" -mindepth 1 -maxdepth 1 | wc -l)"
for dir in "$RUNS"/inside/*; do
  [[ $dir == *lockstep-$id.step* ]] || fail "inside a step: $dir"
  want_equal "$dir: operations" 20 "$(operations "$dir")"
  [ -s "$dir/report.html" ] || fail "$dir: no report"
done

# With the prolog alone every step has a directory of its own, beside the others of its job.
batch prolog -N2 -n2 <<SCRIPT
srun -N2 -n2 $WORLD
srun -N1 -n1 $WORLD
SCRIPT
want_equal "prolog" "lockstep-$id.step0 lockstep-$id.step1" "$(directories "$RUNS/prolog")"
for step in 0:2 1:1; do
  want_layout "prolog" "$RUNS/prolog/lockstep-$id.step${step%:*}" $((2 * ${step#*:})) "$(hostname)"
done
want_equal "prolog: operations of the steps" "20 10" \
  "$(operations "$RUNS/prolog/lockstep-$id.step0") $(operations "$RUNS/prolog/lockstep-$id.step1")"

# What is asked for arrives: answers while it runs, and the length of the report's lists.
batch watched -N1 -n1 <<SCRIPT
$RUN "$RUNS/watched" --snapshot-every 0.5 --top 1 --events kernel -- srun -N1 -n1 bash -c '
  $PAIR 1000000 & pid=\$!
  until ls "$RUNS"/watched/*/snapshot/*/report.html 2>/dev/null; do sleep 0.2; done
  kill \$pid'
SCRIPT
dir=$RUNS/watched/lockstep-$id.0
[ -s "$dir/report.html" ] || fail "watched: no report at the end"
want_equal "watched: rankings of one line each" 1 "$(tail -n +2 "$dir/top.csv" | cut -d, -f1 | uniq -c | awk '{print $1}' | sort -u | xargs)"
want_equal "watched: network operations recorded" null "$("$BUILD/lockstep" count "$dir" --json | jq '.starts.ProxyOp // null')"

# Exit codes and deaths by a signal, of programs and of steps.
for code in 0 7; do
  rc=0
  "$BUILD/lockstep" run --dir "$RUNS/codes" -- srun -N1 -n1 bash -c "exit $code" 2>/dev/null || rc=$?
  want_equal "exit code of a step that ends with $code" "$code" "$rc"
done
rc=0 alone=0
srun -N1 -n1 -Q bash -c 'kill -9 $$' 2>/dev/null || alone=$?
"$BUILD/lockstep" run --dir "$RUNS/codes" -- srun -N1 -n1 -Q bash -c 'kill -9 $$' 2>/dev/null || rc=$?
want_equal "exit code of a step whose task is killed" "$alone" "$rc"

# SIGTERM to `lockstep run` outside of an allocation, where it goes to srun: what was recorded is complete.
"$BUILD/lockstep" run --dir "$RUNS/signalled" --interval 60 -- srun -N1 -n1 "$BUILD/lockstep-emulate" \
  "$BUILD/libnccl-profiler.so" --ranks 2 --rate 20 --iterations 1000000 --stall-us 30000000 --truth "$TMP/signalled" \
  >/dev/null 2>"$TMP/signalled.out" &
pid=$!
wait_for 60 grep -q '"done"' "$TMP/signalled.0" || fail "signalled does not start: $(cat "$TMP/signalled.out")"
kill -TERM "$pid"
rc=0
wait "$pid" || rc=$?
[ "$rc" != 0 ] || fail "signalled: exit code 0"
dir=$(echo "$RUNS"/signalled/lockstep-*)
"$BUILD/lockstep" recover "$dir" >/dev/null
"$BUILD/lockstep" verify "$dir" >"$TMP/verify" 2>&1 || { cat "$TMP/verify"; fail "signalled: verify finds a difference"; }
