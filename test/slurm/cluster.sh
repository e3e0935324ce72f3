# Sourced after test/lib.sh: a real SLURM cluster on this machine, one slurmd per node, that ends with the test.
#   cluster_up N [LINE...]   N nodes n1 to nN of 4 processors; further lines for slurm.conf
#   apart_up N [LINE...]     with apart.sh: the same, each node a host of its own
#   wait_for SECONDS COMMAND...   until the command succeeds
# shellcheck shell=bash disable=SC2034
[ "$(id -u)" = 0 ] || skip "starting slurmd and munged needs root"
[ -d /sys/devices/system/cpu ] || skip "slurmd cannot see the processors: /sys is not mounted here"
[ -n "$(ls -A /sys/fs/cgroup 2>/dev/null)" ] || skip "slurmd does not start without /sys/fs/cgroup, which is not mounted here"
need slurmctld slurmctld
need slurmd slurmd
need munged munge
need srun slurm-client
need jq jq
need ip iproute2

# A network of its own, so that no port is ever taken by somebody else; where loopback is all there is, names are not
# resolved: hence the bridge. Process numbers of its own: the script is the first process there, and when it ends, in
# whatever way, the kernel ends all that it and the cluster have started. A /dev/shm of its own: what killed programs
# leave in memory goes as well. Out here it is waited for, because a first process does not hear SIGTERM.
if [ -z "${CLUSTER_TMP:-}" ]; then
  world=(unshare --net --mount --pid --fork --kill-child --mount-proc)
  "${world[@]}" ip link add bridge type bridge 2>/dev/null || skip "network or process namespaces are not permitted here"
  CLUSTER_TMP=$TMP "${world[@]}" bash "$0" "$@" &
  world=$!
  trap 'pkill -KILL -P "$world"; wait "$world"; exit 143' TERM INT
  rc=0
  wait "$world" || rc=$?
  exit "$rc"
fi
rm -rf "$TMP"
TMP=$CLUSTER_TMP
trap - EXIT
mount -t tmpfs -o mode=1777 shm /dev/shm
ip link set lo up
ip link add bridge type bridge
ip addr add 10.77.20.1/24 dev bridge
ip link set bridge up

S=$TMP/slurm
RUNS=$TMP/runs
mkdir -p "$RUNS"

wait_for() {
  local seconds=$1 began=$SECONDS
  shift
  until "$@" >/dev/null 2>&1; do
    [ $((SECONDS - began)) -lt "$seconds" ] || return 1
    sleep 0.1
  done
}

nodes_are_idle() { [ "$(sinfo -h -N -o %t | sort -u)" = idle ]; }

# begin_conf ADDRESS PORT: munged runs, and slurm.conf has all but the nodes.
begin_conf() {
  mkdir -p "$S"/{run/munge,log,state,spool}
  chmod 755 "$TMP" "$S" "$S/run" "$S/run/munge"
  mungekey -c -k "$S/munge.key" -f
  chmod 600 "$S/munge.key"
  munged --key-file="$S/munge.key" --socket="$S/run/munge/munge.sock" --pid-file="$S/run/munge/munged.pid" \
    --log-file="$S/log/munged.log" --seed-file="$S/run/munge/seed" --force >"$S/log/munged.out" 2>&1
  export SLURM_CONF=$S/slurm.conf
  cat >"$SLURM_CONF" <<CONF
ClusterName=t
SlurmctldHost=$(hostname -s)($1)
SlurmctldPort=$2
SlurmUser=root
SlurmdUser=root
AuthInfo=socket=$S/run/munge/munge.sock
StateSaveLocation=$S/state
SlurmdSpoolDir=$S/spool/%n
SlurmctldPidFile=$S/run/slurmctld.pid
SlurmdPidFile=$S/run/slurmd-%n.pid
SlurmctldLogFile=$S/log/slurmctld.txt
SlurmdLogFile=$S/log/slurmd-%n.txt
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SchedulerParameters=bf_interval=1
SlurmdParameters=config_overrides
KillWait=5
MpiDefault=none
CONF
}

# end_conf N [LINE...]: the partition of N nodes, further lines, and the controller runs.
end_conf() {
  local nodes=$1
  shift
  for i in $(seq "$nodes"); do mkdir -p "$S/spool/n$i"; done
  echo "PartitionName=p Nodes=$(seq -s, -f n%.0f "$nodes") Default=YES State=UP MaxTime=INFINITE" >>"$SLURM_CONF"
  [ $# = 0 ] || printf '%s\n' "$@" >>"$SLURM_CONF"
  slurmctld -c -f "$SLURM_CONF"
}
want_idle() {
  wait_for 60 nodes_are_idle || fail "the nodes are not idle after 60 s: $(sinfo -N 2>&1; tail -n 3 "$S"/log/*)"
}

cluster_up() {
  local nodes=$1 i ports
  read -ra ports <<<"$(free_ports $(($1 + 1)))"
  begin_conf 127.0.0.1 "${ports[0]}"
  for i in $(seq "$nodes"); do
    echo "NodeName=n$i NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=${ports[i]} CPUs=4" >>"$SLURM_CONF"
  done
  end_conf "$@"
  for i in $(seq "$nodes"); do slurmd -N "n$i" -f "$SLURM_CONF"; done
  want_idle
}

# A job, with all of its components or array tasks, whose state is neither pending, running nor completing.
job_is_over() {
  local states
  states=$(scontrol -o show job "$1" 2>/dev/null | sed -n 's/.* JobState=\([A-Z_]*\).*/\1/p')
  [ -n "$states" ] && ! grep -qE '^(PENDING|RUNNING|COMPLETING|CONFIGURING|SUSPENDED|REQUEUED)$' <<<"$states"
}

# want_layout WHAT DIR PROCESSES HOST...: this many segment files, each below DIR in the directory of its host, and none
# elsewhere.
want_layout() {
  local what=$1 dir=$2 processes=$3 host
  shift 3
  want_equal "$what: segment files" "$processes" "$(find "$dir" -name '*.lks' | wc -l)"
  want_equal "$what: hosts' directories" "$*" "$(cd "$dir" && ls -d */ | grep -vxE '(agents|clock|findings|summary|snapshot)/' | tr -d / | xargs)"
  for host in "$@"; do
    [ -n "$(find "$dir/$host" -name "$host.*.lks")" ] || fail "$what: no segments of $host: $(find "$dir")"
    want_equal "$what: other hosts' files in $host/" "" "$(find "$dir/$host" -type f ! -name "$host.*")"
  done
}

# want_truth WHAT DIR TRUTH: DIR holds, by kind, the calls that the processes of TRUTH.RANK say they made.
want_truth() {
  want_equal "$1: calls" \
    "$(cat "$3".* | jq -csS '[.[] | select(.type == "counts") | .starts | to_entries[]] | group_by(.key)
      | map({key: .[0].key, value: (map(.value) | add)}) | from_entries')" \
    "$("$BUILD/lockstep" count "$2" --json | jq -cS .starts)"
  "$BUILD/lockstep" verify "$2" >"$TMP/verify" 2>&1 || { cat "$TMP/verify"; fail "$1: verify finds a difference"; }
}
