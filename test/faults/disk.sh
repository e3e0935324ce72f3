#!/usr/bin/env bash
# Disks that are full, read-only, removed or over quota: calls go on, and when the disk is well again everything is
# written that the buffers could hold.
# shellcheck disable=SC2034,SC2154  # lib.sh shares its variables
. "$(dirname "$0")/lib.sh"
in_mount_namespace "$@"
need_strace
mkdir "$TMP/small"
mount -t tmpfs -o size=4m none "$TMP/small"

# A disk is full when another file takes what is left. (tmpfs: real ENOSPC, real short writes.)
fill() { dd if=/dev/zero of="$TMP/small/filler" bs=64k 2>/dev/null || true; }
free() { rm "$TMP/small/filler"; }
on_small_disk() {
  dir=$TMP/small/run
  export LOCKSTEP_DIR=$dir
  rm -rf "$TMP/small/run" "$TMP/small/filler"
}

begin "disk full twice, freed each time"
on_small_disk
start_storm
let_calls_go_on 1000
for round in 1 2; do
  fill
  wait_until "the disk is full for the $round. time" \
    eval '[ "$(grep -c "cannot write: No space left on device" "$err")" = $round ]'
  let_calls_go_on 20000
  free
  wait_until "writing again" eval '[ "$(grep -c "writing again" "$err")" = $round ]'
done
end_storm
want_exact
said='FILE: cannot write: No space left on device; writing again; the same again'
end_row

begin "disk full until the process ends, freed later"
on_small_disk
start_storm
let_calls_go_on 1000
fill
wait_for_log 'cannot write: No space left on device; records wait in memory'
let_calls_go_on 20000
end_storm
want_said 'the last records are in .* until .lockstep recover .* writes them'
free
"$LOCKSTEP" recover "$dir" >"$TMP/recover" || { cat "$TMP/recover"; wrong "recover failed"; }
want_exact
want_no_memory_file
recorded+=' after recover'
end_row

begin "disk full from the start and for good, crash safety off"
on_small_disk
fill
LOCKSTEP_CRASH_SAFE=0 start_storm
let_calls_go_on 20000
end_storm
want_said 'the last records are lost, because crash safety is off'
want_nothing_recorded
end_row
free

begin "disk full, 4 MiB of buffers"
on_small_disk
LOCKSTEP_BUFFER_MB=4 start_storm
let_calls_go_on 1000
fill
wait_for_log 'cannot write: No space left'
let_calls_go_on 300000
free
wait_for_log 'writing again'
end_storm
want_exact_or_counted memory
want_said 'cannot .*: No space left'
end_row

begin "quota exceeded, then raised (EDQUOT)"
start_storm "${STRACE[@]}" -e trace=pwrite64 -e inject=pwrite64:error=EDQUOT:when=3..8 -- --rate 1000
wait_for_log 'writing again'
end_storm
want_exact
want_said 'cannot write: Disk quota exceeded'
end_row

begin "read-only run directory, later writable"
mkdir "$TMP/row/ro"
mount -t tmpfs -o ro none "$TMP/row/ro"
dir=$TMP/row/ro/run
export LOCKSTEP_DIR=$dir
start_storm
wait_for_log 'cannot make the run directory: Read-only file system'
let_calls_go_on 20000
mount -o remount,rw "$TMP/row/ro"
wait_for_log 'writing again'
end_storm
want_exact
want_said 'cannot make the run directory'
end_row
umount "$TMP/row/ro"

begin "run directory removed while running"
start_storm
wait_until "there is a segment" eval 'compgen -G "$dir/*.lks" >/dev/null'
let_calls_go_on 10000
rm -r "$dir"
wait_until "there is a segment again" eval 'compgen -G "$dir/*.lks" >/dev/null'
let_calls_go_on 10000
end_storm
want_exact_or_counted disk
want_said 'segment files were deleted while their process was writing'
end_row

begin "short writes (100 bytes each)"
LD_PRELOAD=$BUILD/test/libshort_write.so start_storm
let_calls_go_on 20000
end_storm
want_exact
want_silence
end_row

begin "every second write interrupted (EINTR)"
start_storm "${STRACE[@]}" -e trace=pwrite64 -e inject=pwrite64:error=EINTR:when=1+2 -- --rate 1000
let_calls_go_on 20000
end_storm
want_exact
want_silence
end_row

begin "EIO on some writes"
start_storm "${STRACE[@]}" -e trace=pwrite64 -e inject=pwrite64:error=EIO:when=3..6 -- --rate 1000
wait_for_log 'writing again'
end_storm
want_exact
want_said 'cannot write: Input/output error'
end_row

for mode in chunk interval; do
  begin "EIO on every fsync, LOCKSTEP_SYNC=$mode"
  LOCKSTEP_SYNC=$mode start_storm "${STRACE[@]}" -e trace=fdatasync -e inject=fdatasync:error=EIO -- --rate 1000
  wait_for_log 'cannot sync'
  let_calls_go_on 20000
  end_storm
  want_exact
  want_said 'cannot sync: Input/output error'
  end_row
done

begin "a disk that stands still, then moves"
LD_PRELOAD=$BUILD/test/libslow_write.so SLOW_UNTIL=$TMP/row/go start_storm --rate 8000
let_calls_go_on 1000000 # 64 MiB
touch "$TMP/row/go"
end_storm
want_exact
want_silence
end_row

begin "a disk that takes 300 ms for every write"
LD_PRELOAD=$BUILD/test/libslow_write.so SLOW_WRITE_MS=300 start_storm
let_calls_go_on 100000
end_storm
want_exact
want_silence
end_row
