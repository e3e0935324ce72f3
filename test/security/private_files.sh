#!/usr/bin/env bash
# Whatever the umask: what is recorded is for its owner alone, what other programs are to read nobody else may write.
. "$(dirname "$0")/../spine/lib.sh"
export LOCKSTEP_EVENTS=all

record() { # record UMASK: into $TMP/UMASK, with every output there is
  umask "$1"
  mkdir -p "$TMP/$1/shm"
  LOCKSTEP_DIR=$TMP/$1/runs/a LOCKSTEP_SHM_DIR=$TMP/$1/shm LOCKSTEP_CLOCK=1 LOCKSTEP_CLOCK_RENDEZVOUS=none \
    LOCKSTEP_PROMETHEUS_DIR=$TMP/$1/shared/prometheus NCCL_INSPECTOR_ENABLE=1 NCCL_INSPECTOR_DUMP_DIR=$TMP/$1/shared/lines \
    LOCKSTEP_DUMP_INTERVAL_US=10000 "$BUILD/lockstep-storm" "$PLUGIN" --until "$TMP/$1.stop" --rate 500 \
    >"$TMP/$1.line" 2>"$TMP/$1.err" &
  storm=$!
  for what in 'runs/a/*.lks' 'runs/a/*.arena' 'runs/a/*.ctl' 'runs/a/*.clock' 'shm/*.blocks' 'shared/prometheus/*.prom' \
    'shared/lines/*'; do
    for ((i = 0; i < 600; ++i)); do compgen -G "$TMP/$1/$what" >/dev/null && break || sleep 0.1; done
    [ $i != 600 ] || { touch "$TMP/$1.stop"; fail "umask $1: waited a minute for $what: $(cat "$TMP/$1.err")"; }
  done
  found=$(find "$TMP/$1/runs" "$TMP/$1/shm"/* ! -type l -printf '%m %y %P\n')
  shared=$(find "$TMP/$1/shared" -printf '%m %y %P\n')
  umask 022
  touch "$TMP/$1.stop"
  wait $storm || fail "umask $1: the host ended with status $?"
  want_recorded "umask $1" "$(cat "$TMP/$1.line")" "$TMP/$1/runs/a"
}

for mask in 000 022 077; do
  record $mask
  others=$(grep -vE '^(700 d|[0-6]00 [fs]) ' <<<"$found") || true
  [ -z "$others" ] || fail "umask $mask: others may use $others"
  writable=$(grep -E '^[0-7]?[0-7]?([0-7][2367]|[2367][0-7]) ' <<<"$shared") || true
  [ -z "$writable" ] || fail "umask $mask: others may write $writable"
done
