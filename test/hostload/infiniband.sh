#!/usr/bin/env bash
# timeout: 200
# An adapter's counters and its link while a job records: a tree of our own stands for /sys/class/infiniband, in a mount namespace.
# What changes there has a row of its own second, which joins with the operations of that time.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/common.sh"
need unshare util-linux
unshare --mount --propagation private mount -t tmpfs none /sys/class 2>/dev/null || skip "mount namespaces are not permitted here"
port=$TMP/adapters/mlx5_0/ports/1
mkdir -p "$port/counters" "$port/hw_counters"
put() { echo "$2" >"$port/$1.new" && mv "$port/$1.new" "$port/$1"; }  # put FILE TEXT, at once
put counters/port_xmit_wait 7
put hw_counters/out_of_sequence 0
put state "4: ACTIVE"
put rate "400 Gb/sec (4X NDR)"

launcher=
finish() {
  local pid
  for pid in ${launcher:+$(tree "$launcher")}; do kill -9 "$pid" 2>/dev/null || true; done
  wait
  rm -rf "$TMP"
}
trap finish EXIT
# shellcheck disable=SC2016  # the inner shell's own variables
LOCKSTEP_DIR=$RUN LOCKSTEP_CLOCK=0 unshare --mount --propagation private bash -c '
  mount -t tmpfs none /sys/class && mkdir /sys/class/infiniband && mount --bind "$0" /sys/class/infiniband && exec "$@"' \
  "$TMP/adapters" "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --ranks 2 --nodes 1 --rate 50 --iterations 1000000 >"$TMP/counts" 2>&1 &
launcher=$!
until_true "segments" compgen -G "$RUN/*.lks" >"$TMP/segments"
need_duckdb "$RUN"
rows() { query "SELECT value, change FROM nic_counters WHERE device = 'mlx5_0' AND port = 1 AND counter = '$1' ORDER BY at_ns" | xargs; }
has_rows() { [ "$(rows "$1")" = "$2" ]; }
until_true "the first reading of a counter" has_rows port_xmit_wait "7,"
until_true "the first reading of the link" has_rows link_state "4,"
put counters/port_xmit_wait 1007
put state "1: DOWN"
until_true "the counter's change" has_rows port_xmit_wait "7, 1007,1000"
until_true "the link's change" has_rows link_state "4, 1,"  # it fell, so it did not grow by anything
want_equal "a counter that does not change" "0," "$(rows out_of_sequence)"
want_equal "Gbit/s" "400," "$(rows link_rate)"
beside() {  # operations that went on in the second in which the counter rose
  query "SELECT count(DISTINCT o.operation) FROM ops o JOIN nic_counters n ON n.host = o.host AND n.device = 'mlx5_0'
    AND n.counter = 'port_xmit_wait' AND n.change > 0 AND o.called_ns < n.at_ns AND o.finish_ns > n.at_ns - 1000000000"
}
some_beside() { [ "$(beside)" -gt 10 ]; }
until_true "operations of that second" some_beside
