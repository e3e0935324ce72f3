#!/usr/bin/env bash
# Symbolic links in the way of every file that a process makes: what they point to stays as it is, and the recording is
# whole. The shell knows the process's number because it becomes the process.
. "$(dirname "$0")/../spine/lib.sh"
host=$(uname -n)
mkdir "$TMP/run" "$TMP/shm" "$TMP/lines" "$TMP/prometheus"
echo 'not yours' >"$TMP/victim"
export LOCKSTEP_DIR=$TMP/run LOCKSTEP_EVENTS=all LOCKSTEP_SHM_DIR=$TMP/shm LOCKSTEP_CLOCK=1
export LOCKSTEP_CLOCK_RENDEZVOUS=none LOCKSTEP_PROMETHEUS_DIR=$TMP/prometheus
export NCCL_INSPECTOR_ENABLE=1 NCCL_INSPECTOR_DUMP_DIR=$TMP/lines

names='.0.lks .1.lks .arena .ctl'
line=$(bash -c 'for name in '"$names"'; do ln -s "$0" "$1/$2.$$$name"; done
  ln -s "$0" "$1/$2.clock"
  ln -s "$0" "$3/$2-pid$$.log"
  ln -s "$0" "$4/nccl_inspector_$2_$$.prom.tmp"
  shift 4
  exec "$@"' "$TMP/victim" "$TMP/run" "$host" "$TMP/lines" "$TMP/prometheus" \
  "$BUILD/lockstep-storm" "$PLUGIN" --operations 500 2>"$TMP/err")
want_equal "the file behind the links" 'not yours' "$(cat "$TMP/victim")"
want_equal "its mode" 644 "$(stat -c %a "$TMP/victim")"
want_equal "links to it that are left as segments" 2 "$(find "$TMP/run" -name '*.lks' -type l | wc -l)"
find "$TMP/run" -name '*.lks' -type l -delete
want_recorded "beside the links" "$line" "$TMP/run"

# A link among the memory files is not followed, not by its owner's recovery either.
ln -s "$TMP/victim" "$TMP/shm/lockstep-0-0123456789abcdef.blocks"
"$LOCKSTEP" recover --all >"$TMP/recover" || true
grep -q 'lockstep-0-0123456789abcdef.blocks: cannot open: Too many levels of symbolic links' "$TMP/recover" ||
  { cat "$TMP/recover"; fail "recover followed a link"; }
want_equal "the file behind the link" 'not yours' "$(cat "$TMP/victim")"
