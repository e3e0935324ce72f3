#!/usr/bin/env bash
# The page of a large job that runs, in headless Chromium: 256 ranks on eight hosts with an agent each, rank 77 late in every
# operation. It follows the job, shows the late rank among all others, and never takes what is on its way for late.
# timeout: 400
# serial
. "$(dirname "$0")/../lib.sh"
need_live_page
# Memory files of killed processes go with it. What a container has there is too little for 256 processes.
MEMORY=/dev/shm
[ "$(df --output=avail -B1M /dev/shm | tail -1)" -ge 2048 ] || MEMORY=$TMP
SHM=$(mktemp -d "$MEMORY/lockstep-large.XXXXXX")
export LOCKSTEP_SHM_DIR=$SHM
RANKS=256 HOSTS=8 EACH=32
run=$TMP/run
mkdir "$run" "$TMP/logs"
PIDS=()
pids() { find "$run" -name '*.ctl' | sed 's/.*\.\([0-9]*\)\.ctl/\1/'; }
cleanup() {
  # shellcheck disable=SC2046
  kill -KILL "${PIDS[@]}" $(pids) 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$SHM" "$TMP"
}
trap cleanup EXIT

# A call log of each rank: an operation every half a second for ten minutes, to which rank 77 comes 100 ms late.
awk -v ranks=$RANKS -v operations=1200 -v late=77 -v out="$TMP/logs" '
  function say(us, what) { printf "%6d %12.3fus tid=1(exe            ) %s\n", n++, us, what >file }
  function gpu(us) { return sprintf("%.0f", 1e12 + us * 1000) }
  BEGIN {
    for (rank = 0; rank < ranks; ++rank) {
      file = out "/" rank ".txt"; n = 0
      printf "=== recorded calls, rank %d, pid %d, %d calls in all, the first %d logged, time zero at CLOCK_MONOTONIC 0 ns\n",
        rank, 1000 + rank, 1 + 5 * operations, 1 + 5 * operations >file
      say(0, "init     ?  #0  parent=-  ctx=1 name=world hash=d2d4190c9e715784 nodes=8 ranks=" ranks " rank=" rank)
      for (i = 0; i < operations; ++i) {
        last = 1000000 + i * 500000 + 100000; at = rank == late ? last : last - 100000; coll = 2 * i + 1; kernel = coll + 1
        say(at, "start    Coll      #" coll "  parent=-  ctx=1 AllReduce seq=" i " count=16384 root=0 ncclFloat32 ch=1 w=9 RING/SIMPLE pgroup=0")
        say(at + 10, "stop     Coll      #" coll "  parent=-  ctx=0 ")
        say(at + 50, "start    KernelCh  #" kernel "  parent=Coll#" coll "  ctx=1 ch=0 pTimer=" gpu(at + 40))
        say(last + 400, "record   KernelCh  #" kernel "  parent=-  ctx=0 KernelChStop pTimer=" gpu(last + 390))
        say(last + 410, "stop     KernelCh  #" kernel "  parent=-  ctx=0 ")
      }
      close(file)
    }
  }'
for host in $(seq $HOSTS); do
  mapfile -t logs < <(seq -f "$TMP/logs/%g.txt" $(((host - 1) * EACH)) $((host * EACH - 1)))
  LOCKSTEP_HOST=n$host LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=coll,KernelCh LOCKSTEP_DIR=$run/%h \
    "$BUILD/lockstep-replay" "$BUILD/libnccl-profiler.so" "${logs[@]}" >"$TMP/job$host" 2>&1 &
  PIDS+=($!)
  LOCKSTEP_HOST=n$host "$BUILD/lockstep" agent "$run" --listen 127.0.0.1:0 >"$TMP/agent$host" 2>&1 &
  PIDS+=($!)
done
written() { find "$run" -name '*.lks' | wc -l; }
for _ in $(seq 600); do
  [ "$(written)" -lt $RANKS ] || break
  sleep 0.2
done
want_equal "processes that have written something" $RANKS "$(written)"
LOCKSTEP_HOST=login "$BUILD/lockstep" serve "$run" >"$TMP/banner" 2>"$TMP/err" &
server=$!
PIDS+=("$server")
until [ -s "$TMP/banner" ]; do kill -0 "$server" || fail "no server: $(cat "$TMP/err")"; sleep 0.1; done
# shellcheck disable=SC2046
node "$ROOT/test/report/live_large.mjs" "$(head -1 "$TMP/banner" | awk '{ print $NF }')" $(pids) || fail "the page of a large running job is not as it should be"
