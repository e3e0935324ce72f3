#!/usr/bin/env bash
# `lockstep capture` on a host without an agent: what would start one by SLURM, ssh and kubectl is printed as it would be run;
# kubectl, by a stand-in that writes down its arguments and starts what it is told to, brings the agent that answers.
. "$(dirname "$0")/../lib.sh"
need jq jq
need python3 python3
run=$TMP/run
job=
trap 'kill $job 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT
mkdir "$TMP/bin"
ln -s "$BUILD/lockstep" "$TMP/bin/lockstep"
cat >"$TMP/bin/kubectl" <<STAND_IN
#!/usr/bin/env bash
printf '%s\n' "\$*" >>"$TMP/kubectl.log"
while [ "\$1" != -- ]; do shift; done
shift
exec env LOCKSTEP_HOST=pod-2 "\$@"
STAND_IN
chmod +x "$TMP/bin/kubectl"
PATH=$TMP/bin:$PATH
LOCKSTEP_DIR=$run LOCKSTEP_HOST=pod-1 LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 "$BUILD/lockstep-emulate" --ranks 2 --iterations 100000 \
  --rate 50 --ops allreduce --sizes 1k --channels 1 "$BUILD/libnccl-profiler.so" >"$TMP/job" 2>&1 &
job=$!
for _ in $(seq 300); do
  [ "$(find "$run" -name '*.ctl' 2>/dev/null | wc -l)" = 2 ] && break
  sleep 0.1
done
# The socket of a process on a host that nobody reaches.
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$run/pod-2.1.ctl"
capture() { LOCKSTEP_HOST=pod-1 lockstep capture "$run" --operations 2 --limit 8s "$@"; }
prints() {  # prints TEXT OPTIONS...: a dry run's first line
  local wanted=$1
  shift
  capture --dry-run "$@" >"$TMP/out" 2>"$TMP/err" || fail "a dry run failed: $(cat "$TMP/out" "$TMP/err")"
  # shellcheck disable=SC2053  # a pattern
  [[ "$(head -1 "$TMP/out")" == $wanted ]] || fail "expected '$wanted', got: $(cat "$TMP/out")"
}
prints "kubectl exec pod-2 -- lockstep agent $run" --orchestrator kubectl
prints "*lockstep agents start $run --hosts pod-2" --orchestrator ssh
prints "*lockstep agents start $run --hosts pod-2"
SLURM_JOB_ID=4711 prints "*srun -N1 -n1 --overlap *--jobid=4711 --nodelist=pod-2 *lockstep agent $run"
KUBERNETES_SERVICE_HOST=10.0.0.1 prints "kubectl exec pod-2 *"
[ ! -e "$TMP/kubectl.log" ] || fail "a dry run has run something"
code=0
capture --orchestrator nomad >"$TMP/out" 2>&1 || code=$?
want_equal "exit code for an orchestrator that is not known" 2 $code

# That nobody records on pod-2 any more is no failure of its host.
code=0
capture --orchestrator kubectl --verbose --json >"$TMP/out" 2>"$TMP/err" || code=$?
want_equal "exit code" 0 $code
want_equal "what kubectl was told" "exec pod-2 -- lockstep agent $run" "$(cat "$TMP/kubectl.log")"
grep -q "^lockstep: kubectl exec pod-2 -- lockstep agent $run$" "$TMP/err" || fail "--verbose does not print it: $(cat "$TMP/err")"
want_equal "who was captured" '[["pod-1","stopped"],["pod-1","stopped"]]' "$(jq -c '[.ranks[] | [.host, .state]]' "$TMP/out")"
