#!/usr/bin/env bash
# serial
# Two real processes on loopback, one with a clock that is 1.23 s and some ppm away: the interval holds the truth
# everywhere and the estimate is close, with the kernel's stamps and with application stamps.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/common.sh"
need jq jq
export NCCL_SOCKET_IFNAME=lo

pair() { # JOB EXTRA...: records in $RUN/JOB
  local job=$1
  shift
  mkdir -p "$RUN/$job"
  for n in 0 1; do
    background "$CLOCKD" --dir "$RUN/$job" --job "$job" --host "h$n" --expect 2 --seconds 9 \
      --virtual-clock "$(clock $n)" "$@" >"$TMP/$job.$n.out" 2>&1
  done
}
pair kernel
pair application --application-stamps
wait_all
# About three times what was measured here (docs/measured/prober.md): other processes share the cores.
"$CHECK" "$RUN/kernel" "h0=$(clock 0)" "h1=$(clock 1)" --p99 600 --half 2000 || fail "kernel stamps: see above"
"$CHECK" "$RUN/application" "h0=$(clock 0)" "h1=$(clock 1)" --p99 6000 || fail "application stamps: see above"
# By most of the packets: under load a window may have no estimate, and then no kind.
usual_kind() { jq -r 'select(.type == "hull").pts[][2]' "$1" | sort | uniq -c | sort -rn | awk 'NR == 1 {print $2}'; }
want_equal "kind of application stamps" 1 "$(usual_kind "$RUN/application/h0.clock")"
want_equal "kind of kernel stamps" 2 "$(usual_kind "$RUN/kernel/h0.clock")"
