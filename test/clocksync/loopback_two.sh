#!/usr/bin/env bash
# serial
# Two real processes on loopback, one with a clock that is 1.23 s and some ppm away: the interval holds the truth
# everywhere and is as narrow as the packets allow, with the kernel's stamps and with application stamps.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/common.sh"
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
"$CHECK" "$RUN/kernel" "h0=$(clock 0)" "h1=$(clock 1)" --stamps kernel || fail "kernel stamps: see above"
"$CHECK" "$RUN/application" "h0=$(clock 0)" "h1=$(clock 1)" --stamps application || fail "application stamps: see above"
