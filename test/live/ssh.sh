#!/usr/bin/env bash
# timeout: 120
# `lockstep agents start`: an agent on each host of a list, by an ssh that runs the command here under the host's name; a
# host that nobody can log in to, and one where no agent can start, are named. They end when they are told to.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
RUN=$TMP/run
mkdir -p "$TMP/bin" "$RUN"
cat >"$TMP/bin/ssh" <<'SSH'
#!/bin/sh
for host do shift; [ "$host" != -- ] || break; done
case $1 in n4) echo "ssh: connect to host n4 port 22: No route to host" >&2; exit 255 ;; esac
LOCKSTEP_HOST=$1 export LOCKSTEP_HOST
hostname() { echo "$LOCKSTEP_HOST"; }
shift
eval "$1"
SSH
chmod +x "$TMP/bin/ssh"
clean_up() {
  local pid
  for pid in $(pgrep -f "lockstep agent $RUN"); do kill "$pid" 2>/dev/null || true; done
  kill "${job:-$$x}" 2>/dev/null || true
  rm -rf "$TMP"
}
trap clean_up EXIT
start() { PATH=$TMP/bin:$PATH "$lockstep" agents start "$RUN" --hosts "$1" >"$TMP/out" 2>"$TMP/err"; }
code_of() { local code=0; "$@" || code=$?; echo $code; }

LOCKSTEP_HOST=n2 LOCKSTEP_DIR=$RUN LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 "$BUILD/lockstep-emulate" --ranks 2 --rate 5 \
  --iterations 100000 "$BUILD/libnccl-profiler.so" >/dev/null 2>&1 &
job=$!
for _ in $(seq 300); do
  [ "$(find "$RUN" -name '*.ctl' | wc -l)" != 2 ] || break
  sleep 0.1
done
want_equal "exit code with a host that is down" 1 "$(code_of start 'n[2-4]')"
grep -qE '^n2: agent of n2 listens on ' "$TMP/out" || fail "n2: $(cat "$TMP/out" "$TMP/err")"
grep -qE '^n3: agent of n3 listens on ' "$TMP/out" || fail "n3: $(cat "$TMP/out" "$TMP/err")"
grep -q "host n4: no agent: ssh: connect to host n4" "$TMP/err" || fail "n4: $(cat "$TMP/err")"
"$lockstep" nodes "$RUN" --json >"$TMP/nodes" || fail "the agents do not answer: $(cat "$TMP/nodes")"
want_equal "processes of each" "n2 2 n3 0" "$(jq -r '[.nodes[] | "\(.host) \(.processes)"] | join(" ")' "$TMP/nodes")"

want_equal "exit code when nobody can be reached" 3 "$(code_of start n4)"
want_equal "exit code of a list that is none" 2 "$(code_of start 'n[3-')"
want_equal "exit code of a name that a shell would read" 2 "$(code_of start 'n1;reboot')"
want_equal "exit code without a run" 3 "$(code_of env PATH="$TMP/bin:$PATH" "$lockstep" agents start "$TMP/nowhere" --hosts n2 2>/dev/null)"
