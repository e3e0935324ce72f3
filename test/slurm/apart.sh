# Sourced after cluster.sh: nodes that are hosts of their own, as far as one kernel can make them. Each has its own
# network (joined by a bridge to the others and to the controller), host name, /dev/shm and local disk ($LOCAL), and
# its CLOCK_MONOTONIC is hours away from the others'; all see the same $TMP. Node nI has address 10.77.20.(10 + I).
# shellcheck shell=bash disable=SC2034
unshare --time --monotonic 1 --uts --mount true 2>/dev/null || skip "time, UTS or mount namespaces are not permitted here"

LOCAL=$TMP/local-disk
HOURS_APART=7

# The machine of node NAME: makes its namespaces' inside; its parent's network gets the other end of its cable. Lives
# without a slurmd as well.
cat >"$TMP/machine" <<'MACHINE'
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
echo $$ >"$TMP/slurm/run/machine-$name.pid"
exec sleep infinity
MACHINE

machine() { cat "$S/run/machine-n$1.pid"; }
# on_node I COMMAND...
on_node() { nsenter --net --uts --mount --time --target "$(machine "$1")" "${@:2}"; }
start_daemon() { on_node "$1" slurmd -N "n$1" -f "$SLURM_CONF"; }
switch_on() {
  rm -f "$S/run/machine-n$1.pid"
  unshare --net --uts --mount --time --monotonic $(($1 * HOURS_APART * 3600)) --fork --kill-child \
    sh "$TMP/machine" "n$1" "10.77.20.$((10 + $1))" $$ >"$S/log/machine-$1.out" 2>&1 &
  disown
  wait_for 20 test -s "$S/run/machine-n$1.pid" || fail "node $1 is not there: $(cat "$S/log/machine-$1.out")"
  start_daemon "$1"
}
# switch_off I: everything that ran there is gone, and what was in its memory.
switch_off() {
  local network pid
  network=$(readlink "/proc/$(machine "$1")/ns/net")
  for pid in /proc/[0-9]*; do
    [ "$(readlink "$pid/ns/net" 2>/dev/null)" != "$network" ] || kill -9 "${pid#/proc/}" 2>/dev/null || true
  done
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
  for i in $(seq "$nodes"); do switch_on "$i"; done
  want_idle
}
