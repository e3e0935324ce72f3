#!/usr/bin/env bash
# The page of a folder of runs that `lockstep serve` serves, in headless Chromium: the list, wide and on a phone, and from
# there to a run and back, and a run compared with another. A name that is markup is text. The list follows jobs that begin and end.
# timeout: 180
. "$(dirname "$0")/../lib.sh"
need_live_page
runs=("<b onclick=alert(1)>run & 1" "another run?x=1#y")
mkdir "$TMP/parent"
# The second is slower than the first.
simulate() { "$BUILD/lockstep-simulate" --seed 1 --noise quiet --ranks 8 --schedule ddp --steps 20 "$@" >/dev/null; }
simulate "$TMP/parent/${runs[0]}"
simulate --class slow-gpu-transfer --rank 3 "$TMP/parent/${runs[1]}"
for run in "${runs[@]:2}"; do "$BUILD/lockstep-generate" "$TMP/parent/$run" --ranks 3 --operations 50 >/dev/null; done
"$BUILD/lockstep" serve "$TMP/parent" >"$TMP/banner" 2>"$TMP/err" &
PID=$!
cleanup() {
  # shellcheck disable=SC2046
  kill -KILL "$PID" $(find "$TMP" -name '*.ctl' | sed 's/.*\.\([0-9]*\)\.ctl/\1/') 2>/dev/null || true
  rm -rf "$TMP"
}
trap cleanup EXIT
until [ -s "$TMP/banner" ]; do kill -0 "$PID" || fail "no server: $(cat "$TMP/err")"; sleep 0.1; done
node "$ROOT/test/report/folder.mjs" "$(head -1 "$TMP/banner" | awk '{ print $NF }')" "${runs[@]}" || fail "the page of a folder is not as it should be"
node "$ROOT/test/report/folder_goes_on.mjs" "$(head -1 "$TMP/banner" | awk '{ print $NF }')" "$TMP/parent/job" "$PID" "$BUILD/lockstep-emulate" --ranks 2 \
  --iterations 1000000 --rate 20 "$BUILD/libnccl-profiler.so" || fail "the list does not follow the folder"
