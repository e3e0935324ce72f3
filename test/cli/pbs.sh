#!/usr/bin/env bash
# timeout: 120
# `lockstep run` in a PBS job of two hosts, by a stand-in for pbsdsh and then by one for ssh (Debian has no PBS): the run
# is named after the job, each host has an agent, and each recovers what was killed there.
. "$(dirname "$0")/../lib.sh"
need jq jq
for name in $(compgen -e SLURM_); do unset "$name"; done
lockstep=$BUILD/lockstep
mkdir "$TMP/pbs" "$TMP/ssh" "$TMP/runs"
# As OpenPBS's: `-n K` is the K-th place of the job. What it starts has another environment, and its output goes to the job's;
# a signal goes to the task; the exit code is 0 whatever the task's is.
cat >"$TMP/pbs/pbsdsh" <<SH
#!/usr/bin/env bash
[ "\$1 \$3" = "-n --" ] || exit 2
host=\$(sed -n "\$((\$2 + 1))p" "\$PBS_NODEFILE")
shift 3
echo "\$host" >>"$TMP/asked"
env -i PATH=/usr/bin:/bin HOME="$TMP" LOCKSTEP_HOST="\$host" "\$@" >>"$TMP/job.out" 2>&1 &
trap 'kill \$!' TERM
wait
exit 0
SH
cat >"$TMP/ssh/ssh" <<SH
#!/usr/bin/env bash
while [ "\$1" != -- ]; do shift; done
echo "\$2" >>"$TMP/asked"
exec env -i PATH=/usr/bin:/bin HOME="$TMP" LOCKSTEP_HOST="\$2" sh -c "\$3"
SH
chmod +x "$TMP/pbs/pbsdsh" "$TMP/ssh/ssh"
printf '%s\n' n1 n1 n2 n2 '-oProxyCommand=touch' >"$TMP/nodes"
export PBS_NODEFILE=$TMP/nodes LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0
# A rank on each host; that of n2 is killed, and n1's own part is for the run's own agents to answer.
# shellcheck disable=SC2016  # the inner shell's own variables
program='
  port=$(python3 -c "import socket; s = socket.socket(); s.bind((\"127.0.0.1\", 0)); print(s.getsockname()[1])")
  for _ in $(seq 300); do
    [ "$(cat "$LOCKSTEP_CLOCK_OUT"/agents/log* 2>/dev/null | grep -c "^agent of n[12] listens")" = 2 ] && break
    sleep 0.1
  done
  for rank in 0 1; do
    LOCKSTEP_HOST=n$((rank + 1)) "$0" "$1" --rank $rank --world 2 --master 127.0.0.1:$port --iterations 20 --end "$2" &
  done
  wait'
need python3 python3

for way in pbs ssh; do
  : >"$TMP/asked"
  rc=0
  PBS_JOBID=1234.head PATH=$TMP/$way:$PATH "$lockstep" run --dir "$TMP/runs/$way" -- \
    bash -c "$program" "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" kill >"$TMP/out" 2>"$TMP/said" || rc=$?
  want_equal "$way: exit code" 0 $rc
  dir=$TMP/runs/$way/lockstep-1234.0
  want_equal "$way: job and hosts in run.json" "1234 2" "$(jq -r '"\(.job) \(.nodes)"' "$dir/run.json")"
  want_equal "$way: hosts asked for an agent and to recover" "n1 n1 n2 n2" "$(sort "$TMP/asked" | paste -sd' ')"
  want_equal "$way: agents" "n1 n2" "$(sed -n 's/^agent of \(n[12]\) listens.*/\1/p' "$dir"/agents/log* | sort | paste -sd' ')"
  want_equal "$way: recovered" 2 "$(cat "$dir"/summary/recover*.txt | grep -c '\.lks')"
  "$lockstep" verify "$dir" >/dev/null || [ $? = 1 ] || fail "$way: verify cannot read it"
  want_equal "$way: operations" 40 "$("$lockstep" count "$dir" --json | jq .starts.Coll)"
  [ -s "$dir/report.html" ] || fail "$way: no report: $(cat "$TMP/said")"
done
# The job script of docs/pbs.md: mpiexec starts a train that is two ranks.
mkdir "$TMP/work" "$TMP/bin"
sed -n '/^```sh/,/^```/{ /^```/d; p }' "$ROOT/docs/pbs.md" >"$TMP/work/job"
grep -q '^lockstep run .* mpiexec \./train$' "$TMP/work/job" || fail "the script of docs/pbs.md: $(cat "$TMP/work/job")"
ln -s "$lockstep" "$TMP/bin/lockstep"
printf '#!/usr/bin/env bash\nexec "$@"\n' >"$TMP/bin/mpiexec"
printf '#!/usr/bin/env bash\nexec "%s" "%s" --ranks 2 --iterations 20\n' "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" >"$TMP/work/train"
chmod +x "$TMP/bin/mpiexec" "$TMP/work/train"
PBS_JOBID=55.head PBS_O_WORKDIR=$TMP/work PATH=$TMP/bin:$TMP/pbs:$PATH bash "$TMP/work/job" >"$TMP/out" 2>"$TMP/said" ||
  fail "the job script ends with $?: $(cat "$TMP/said")"
want_equal "operations of the job script" 40 "$("$lockstep" count "$TMP/work/runs/lockstep-55.0" --json | jq .starts.Coll)"
[ -s "$TMP/work/runs/lockstep-55.0/report.html" ] || fail "no report of the job script: $(cat "$TMP/said")"
want_equal "output that a host left to the job" "" "$(cat "$TMP/job.out")"

plan() { PBS_JOBID=$1 PATH=$TMP/pbs:$PATH "$lockstep" run --dir "$TMP/runs" --dry-run -- true; }
grep -q "LOCKSTEP_CLOCK_OUT=$TMP/runs/lockstep-77_5.0" <<<"$(PBS_ARRAY_INDEX=5 plan '77[5].head')" || fail "an array: $(plan '77[5].head')"
grep -q "LOCKSTEP_CLOCK_OUT=$TMP/runs/lockstep-$(hostname)-" <<<"$(plan '../../x')" || fail "a job that is no number: $(plan '../../x')"
PBS_JOBID=1234.head "$lockstep" report "$dir" --srun --force 2>"$TMP/said" && fail "--srun in a PBS job"
grep -q 'SLURM job step' "$TMP/said" || fail "--srun: $(cat "$TMP/said")"
