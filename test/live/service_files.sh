#!/usr/bin/env bash
# The files that start agents for you: systemd has nothing to say against the unit, and the commands of the Kubernetes
# examples start agents that answer for a job which records as those examples say. No cluster runs here.
. "$(dirname "$0")/../lib.sh"
need jq jq
examples=$ROOT/docs/examples
if command -v systemd-analyze >/dev/null; then
  sed "s#/usr/local/bin/lockstep#$BUILD/lockstep#" "$examples/lockstep-agent.service" >"$TMP/lockstep-agent@my-run.service"
  systemd-analyze verify --man=no "$TMP/lockstep-agent@my-run.service" >"$TMP/said" 2>&1 || fail "systemd refuses the unit: $(cat "$TMP/said")"
  want_equal "what systemd says of the unit" "" "$(grep lockstep-agent "$TMP/said" || true)"
fi
python3 -c 'import yaml' 2>/dev/null || skip "Python's yaml is not installed (package python3-yaml)"
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT
mkdir "$TMP/secret"
head -c 32 /dev/urandom >"$TMP/secret/key"
PATH=$BUILD:$PATH
# command_of FILE: what the container `lockstep-agent` runs; at another place than in a pod
command_of() {
  python3 - "$1" <<'END' | sed "s#/secret/key#$TMP/secret/key#; s#/tmp/key#$TMP/$2/key#g; s#/runs/job#$TMP/$2/job#g"
import sys, yaml
spec = yaml.safe_load(open(sys.argv[1]))["spec"]
spec = spec["template"]["spec"] if "template" in spec else spec
[agent] = [c for c in spec.get("initContainers", []) + spec["containers"] if c["name"] == "lockstep-agent"]
assert agent["command"] == ["sh", "-c"]
assert "LOCKSTEP_HOST" in [e["name"] for e in agent["env"]]
print(agent["args"][0])
END
}
number=0
for file in "$examples"/lockstep-agent*.yaml; do
  number=$((number + 1))
  address=127.79.0.$number
  mkdir "$TMP/$number"
  LOCKSTEP_HOST=pod-$number POD_IP=$address NODE_IP=$address sh -c "$(command_of "$file" $number)" >"$TMP/agent$number" 2>&1 &
  pids+=($!)
  LOCKSTEP_HOST=pod-$number LOCKSTEP_DIR=$TMP/$number/job LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 "$BUILD/lockstep-emulate" --ranks 2 \
    --iterations 100000 --rate 5 "$BUILD/libnccl-profiler.so" >"$TMP/job$number" 2>&1 &
  pids+=($!)
  answered=
  for _ in $(seq 200); do
    cp "$TMP/$number/key" "$TMP/mine" 2>/dev/null && lockstep ps --agents "$address:4711" --key "$TMP/mine" --json >"$TMP/out" 2>"$TMP/err" &&
      [ "$(jq '.processes | length' "$TMP/out")" = 2 ] && answered=1 && break
    sleep 0.1
  done
  [ -n "$answered" ] || fail "$(basename "$file") starts no agent that answers for its job: $(cat "$TMP/agent$number" "$TMP/err")"
  want_equal "host that $(basename "$file") answers for" "pod-$number" "$(jq -r '[.processes[].host] | unique[]' "$TMP/out")"
done
