# Sourced after cluster.sh: nodes that are hosts of their own, as far as one kernel can make them. Each has its own
# network (joined by a bridge to the others and to the controller), host name, /dev/shm and local disk ($LOCAL), and
# its CLOCK_MONOTONIC is hours away from the others'; all see the same $TMP. Node nI has address 10.77.20.(10 + I).
# shellcheck shell=bash disable=SC2034
unshare --time --monotonic 1 --uts --mount true 2>/dev/null || skip "time, UTS or mount namespaces are not permitted here"

LOCAL=$TMP/local-disk
HOURS_APART=7

# What becomes node NAME: runs inside its namespaces. Its parent's network gets the other end of its cable.
cat >"$TMP/node" <<'NODE'
#!/bin/sh
set -e
name=$1 address=$2 outside=$3
hostname "$name"
mount --make-rprivate /
mount --bind "$TMP/hosts" /etc/hosts
mount -t tmpfs -o mode=1777 shm /dev/shm
mount -t tmpfs -o mode=1777 local "$LOCAL"
ip link set lo up
ip link add eth0 type veth peer name "$name" netns "$outside"
ip addr add "$address/24" dev eth0
ip link set eth0 up
nsenter --net="/proc/$outside/ns/net" ip link set "$name" master bridge up
exec slurmd -D -N "$name" -f "$SLURM_CONF"
NODE

# start_node I: its slurmd, on a machine that has just been switched on.
start_node() {
  unshare --net --uts --mount --time --monotonic $(($1 * HOURS_APART * 3600)) --fork --kill-child \
    sh "$TMP/node" "n$1" "10.77.20.$((10 + $1))" $$ >"$S/log/node-$1.out" 2>&1 &
}

# on_node I COMMAND...: inside the namespaces of a running node.
on_node() {
  local pid
  pid=$(cat "$S/run/slurmd-n$1.pid")
  shift
  nsenter --net --uts --mount --time --target "$pid" "$@"
}

apart_up() {
  local nodes=$1 i
  mkdir -p "$LOCAL"
  export TMP LOCAL MASTER_ADDR=10.77.20.11
  printf '%s\n' "127.0.0.1 localhost" "10.77.20.1 $(hostname -s)" >"$TMP/hosts"
  for i in $(seq "$nodes"); do echo "10.77.20.$((10 + i)) n$i" >>"$TMP/hosts"; done
  begin_conf 10.77.20.1 6817
  for i in $(seq "$nodes"); do
    echo "NodeName=n$i NodeHostname=n$i NodeAddr=10.77.20.$((10 + i)) Port=6818 CPUs=4" >>"$SLURM_CONF"
  done
  end_conf "$@"
  for i in $(seq "$nodes"); do start_node "$i"; done
  want_idle
}
