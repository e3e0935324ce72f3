#!/usr/bin/env bash
# `lockstep run --node-local` records on each node's own disk and brings everything into the run directory at the end;
# a node that cannot be collected costs the others nothing and is told, and goes on by `lockstep finish` there; after
# scancel the epilog of each node does it. Two nodes that are hosts of their own, each with a disk of its own.
# timeout: 400
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
. "$(dirname "$0")/apart.sh"
cat >"$TMP/epilog" <<EPILOG
#!/bin/sh
LOCKSTEP_COMMAND=$BUILD/lockstep PATH=/usr/sbin:/usr/bin:/sbin:/bin exec "$ROOT/slurm/epilog.sh"
EPILOG
chmod 755 "$TMP" "$TMP/epilog"
apart_up 2 "Epilog=$TMP/epilog" KillOnBadExit=1

# script NAME ITERATIONS COMMAND...: a batch script that records the emulator on the nodes' own disks
script() {
  cat >"$TMP/$1.sh" <<SCRIPT
#!/bin/bash
export LOCKSTEP_HOST_LOAD=0  # its file is there or not, by when the job ends
"$BUILD/lockstep" run --dir "$RUNS/$1" --node-local "$LOCAL/of/$1" --interval 0.1 -- srun ${@:3} \
  "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --stall-us 30000000 --iterations $2 --rate 500 --truth "$TMP/truth-$1"
echo "the program ended with \$?" >>"$TMP/$1.rc"
SCRIPT
}
submit() { sbatch --parsable -N2 --ntasks-per-node=2 -o "$TMP/$1.out" "$TMP/$1.sh"; }
over() { wait_for 200 job_is_over "$2" || fail "$1: the job does not end: $(squeue; cat "$TMP/$1.out")"; }
local_files() { on_node "$1" find "$LOCAL/of/$2" -type f 2>/dev/null | wc -l; }
want_nothing_local() {
  for i in 1 2; do want_equal "$1: left on the disk of n$i" "" "$(on_node "$i" find "$LOCAL/of/$1" -mindepth 1)"; done
}

script whole 500
job=$(submit whole)
over whole "$job"
dir=$RUNS/whole/lockstep-$job.0
want_truth whole "$dir" "$TMP/truth-whole"
want_layout whole "$dir" 4 n1 n2
want_nothing_local whole
want_equal "whole: clock files" "n1.clock n2.clock" "$(cd "$dir" && find . -name '*.clock' -printf '%P\n' | sort | xargs)"
want_equal "whole: recorded on the nodes' own disks" "$LOCAL/of/whole/lockstep-$job.0" "$(jq -r .node_local "$dir/run.json" | sed 's/-[0-9]*$//')"
want_equal "whole: said of the two nodes" "n1: 2 n2: 2" "$(sort "$dir/summary/recover.txt" | sed 's/ files, .*//' | xargs)"
[ -s "$dir/report.html" ] || fail "whole: no report: $(cat "$TMP/whole.out")"
grep -q '^2 of 2 hosts' "$dir/summary/align.txt" || fail "whole: not aligned: $(cat "$dir/summary/align.txt")"
want_equal "whole: agents that answered for their nodes" "n1 n2" "$(sed -n 's/^agent of \(.*\) listens on .*/\1/p' "$dir/agents/log" | sort | xargs)"
want_equal "whole: complaints" "" "$(grep 'lockstep: `' "$TMP/whole.out")"

# One node cannot be collected: a file is where its directory belongs.
script half 200 "bash -c '[ \$(hostname) = n1 ] || touch \$LOCKSTEP_CLOCK_OUT/n2; exec \"\$@\"' --"
job=$(submit half)
over half "$job"
dir=$RUNS/half/lockstep-$job.0
want_equal "half: exit code" "the program ended with 0" "$(cat "$TMP/half.rc")"
want_equal "half: one sentence" 1 "$(grep -c 'lockstep: `' "$TMP/half.out")"
grep -q "lockstep collect .* ended with 3 .*lockstep finish $dir. there goes on" "$TMP/half.out" || fail "half: $(cat "$TMP/half.out")"
grep -q "n2: $dir/n2/n2.*: Not a directory" "$dir/summary/recover.txt" || fail "half: $(cat "$dir/summary/recover.txt")"
want_equal "half: processes in the answers" 2 "$("$BUILD/lockstep" info "$dir" --json | jq '.processes | length')"
[ -s "$dir/report.html" ] || fail "half: no report: $(cat "$TMP/half.out")"
want_equal "half: files on the disks of n1 and n2" "0 2" "$(local_files 1 half) $(local_files 2 half)"
on_node 1 "$BUILD/lockstep" finish --last "$dir" | grep -q "^other hosts still have data to recover" || fail "half: n1 answers for n2"
rm "$dir/n2"
on_node 2 "$BUILD/lockstep" finish "$dir" >"$TMP/half.finish" || fail "half: $(cat "$TMP/half.finish")"
grep -q "n2: .*: Not a directory" "$dir/summary/recover.txt" || fail "half: finish forgot what n2 said: $(cat "$dir/summary/recover.txt")"
want_truth half "$dir" "$TMP/truth-half"
want_layout half "$dir" 4 n1 n2
want_nothing_local half
grep -q "^complete: .* of 4 processes" "$dir/summary/verify.txt" || fail "half: $(cat "$dir/summary/verify.txt")"

# scancel: no step can start any more. The epilogs collect, and the last one answers for all.
script cancelled 1000000
job=$(submit cancelled)
started() { grep -q '"done"' "$TMP/truth-cancelled.0"; }
wait_for 120 started || fail "cancelled does not start: $(squeue; cat "$TMP/cancelled.out")"
scancel "$job"
over cancelled "$job"
dir=$RUNS/cancelled/lockstep-$job.0
answered() { [ -s "$dir/report.html" ] && grep -q "^complete: .* of 4 processes" "$dir/summary/verify.txt"; }
wait_for 120 answered || fail "cancelled: no answers of 4 processes: $(find "$dir"; cat "$dir/summary/verify.txt" "$TMP/cancelled.out")"
want_layout cancelled "$dir" "$(find "$dir" -name '*.lks' | wc -l)" n1 n2
want_nothing_local cancelled
