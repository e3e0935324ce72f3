#!/usr/bin/env bash
# serial
# Two hosts in network namespaces joined by a wire, default cadence, idle and with both cores busy: the interval holds the
# truth and is as narrow as the packets allow, and the prober does no more than it must.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/common.sh"
need_namespaces
add_namespace lsA$$
add_namespace lsB$$
wire lsA$$ wa 10.77.1.1/24 lsB$$ wb 10.77.1.2/24

measure() { # JOB
  mkdir -p "$RUN/$1"
  background ip netns exec lsA$$ "$CLOCKD" --dir "$RUN/$1" --job "$1" --host h0 --expect 2 --seconds 12 \
    --virtual-clock "$(clock 0)" >"$TMP/$1.out"
  background ip netns exec lsB$$ "$CLOCKD" --dir "$RUN/$1" --job "$1" --host h1 --expect 2 --seconds 12 \
    --virtual-clock "$(clock 1)"
  wait_all
  want_little_work "$TMP/$1.out" 12
  "$CHECK" "$RUN/$1" "h0=$(clock 0)" "h1=$(clock 1)" --stamps kernel || fail "$1: see above"
}
measure idle
for _ in 1 2; do
  bash -c 'while :; do :; done' &
  BUSY+=("$!")
done
trap 'kill "${BUSY[@]}"; clean_up' EXIT
measure busy
