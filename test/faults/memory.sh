#!/usr/bin/env bash
# No memory, no descriptors, no threads: the host goes on, and what cannot be recorded is said or counted.
# LONG=1 lets every single allocation fail instead of a sample.
# timeout: 1200
# shellcheck disable=SC2034,SC2154  # lib.sh shares its variables
. "$(dirname "$0")/lib.sh"
in_mount_namespace "$@"
need_strace
mkdir "$TMP/small"

begin "no room in shared memory for the buffers' header"
mount -t tmpfs -o size=256k none "$TMP/small"
LOCKSTEP_SHM_DIR=$TMP/small start_storm
let_calls_go_on 20000
end_storm
want_exact
want_said 'crash safety is off: no memory file of .* \(No space left on device\)'
end_row
umount "$TMP/small"

begin "shared memory full after 6 MiB, while the disk stands still"
mount -t tmpfs -o size=6m none "$TMP/small"
LD_PRELOAD=$BUILD/test/libslow_write.so SLOW_UNTIL=$TMP/row/go LOCKSTEP_SHM_DIR=$TMP/small start_storm --rate 4000
let_calls_go_on 500000
touch "$TMP/row/go"
end_storm
want_exact_or_counted memory
end_row
umount "$TMP/small"

begin "address space for the program only (ulimit -v)"
start_storm prlimit --as=200000000 -- --rate 1000
let_calls_go_on 20000
end_storm
want_said 'no address space for 25. MiB of buffers; lower LOCKSTEP_BUFFER_MB'
want_nothing_recorded
end_row

# From just enough to load the plugin up to more than it uses.
felt=0
for files in 4 5 6 7 8 9 10 12; do
  begin "at most $files open files (EMFILE)"
  start_storm prlimit --nofile=$files:64 -- --rate 1000 --generations 3
  let_calls_go_on 20000
  end_storm
  felt=$((felt + $(grep -c 'Too many open files' "$err" || true)))
  after=''
  if grep -q 'the last records are in ' "$err"; then
    "$LOCKSTEP" recover "$dir" >"$TMP/recover" || { cat "$TMP/recover"; wrong "recover failed"; }
    after=' after recover'
  fi
  want_exact
  want_no_memory_file
  recorded+=$after
  said=$(sed -E "s/^.*lockstep: //; s#$dir/[^ :]*#FILE#g; s#$dir#DIR#g; s/;.*//" "$err" | paste -sd';')
  end_row
done
[ $felt != 0 ] || fail "no limit was low enough to be felt"

for which in 1 2 3 1..2; do
  begin "pthread_create gives EAGAIN for our thread $which"
  start_storm "${STRACE[@]}" -e trace=clone3,clone -e inject=clone3:error=EAGAIN:when=$which -- --rate 1000
  let_calls_go_on 20000
  end_storm
  want_exact
  if [ $which != 3 ]; then want_said 'cannot create a thread'; fi
  end_row
done

# Every allocation that the plugin makes while it starts, and as many while it works, fails once; then all from
# there on. A sample of fifty places, every one with LONG=1.
runs=0 unrecorded=0 after=0
storm_without_memory() { # storm_without_memory FROM COUNT
  begin "allocation $1 fails, and $2 more"
  LD_PRELOAD=$BUILD/test/libno_memory.so NO_MEMORY_LOG=$TMP/made NO_MEMORY_FROM=$1 NO_MEMORY_COUNT=$2 \
    LOCKSTEP_DUMP_INTERVAL_US=5000 start_storm --operations 200 --rate 2000
  local rc=0
  wait "$storm" || rc=$?
  started=()
  [ $rc = 0 ] || wrong "the host ended with status $rc"
  want_no_hang
  want_nothing_left
  runs=$((runs + 1))
  if [ -n "$(ls "$LOCKSTEP_SHM_DIR")" ]; then
    "$LOCKSTEP" recover "$dir" >"$TMP/recover" || { cat "$TMP/recover"; wrong "recover failed"; }
    after=$((after + 1))
  fi
  want_no_memory_file
  [ -z "$(compgen -G 'lockstep-*')" ] || wrong "it recorded elsewhere: $(compgen -G 'lockstep-*')"
  if compgen -G "$dir/*.lks" >/dev/null; then
    want_exact
  else
    want_said 'out of memory: this communicator is not recorded'
    unrecorded=$((unrecorded + 1))
  fi
}
cd "$TMP" # where a recording that forgot its options would go
storm_without_memory 1000000 1
made_in_all=$(cat "$TMP/made")
step=${STEP:-$((made_in_all / 50 + 1))}
first=${FIRST:-1}
if [ -n "${LONG:-}" ]; then first=1 step=1; fi
echo "FIRST=$first STEP=$step"
for ((from = first; from <= made_in_all; from += step)); do
  storm_without_memory $from 1
  storm_without_memory $from 1000000
done
row="an allocation of the plugin fails, or all from it on ($runs runs)" host='exit status 0'
recorded="all calls ($after times after recover); nothing ($unrecorded times, the communicator's init had failed)"
said='out of memory'
end_row
