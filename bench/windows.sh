#!/usr/bin/env bash
# What the last minute of 1, 10 and 100 hours costs: RANKS ranks, four operations a second, a chunk each second, 2 GB
# for the longest; they hang at the end. HOURS="1 10" leaves it out. Each command is run once before it is measured.
. "$(dirname "$0")/../test/lib.sh"
RANKS=${RANKS:-4} HOURS=${HOURS:-1 10 100}
export LOCKSTEP_HOST_LOAD=0

# measure NAME COMMAND...: seconds, peak memory and bytes read of the second run
measure() {
  local name=$1
  shift
  "$BUILD/lockstep" "$@" >/dev/null 2>&1 || true
  python3 - "$name" "$BUILD/lockstep" "$@" <<'PY'
import resource, subprocess, sys, time
began = time.monotonic()
subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"  {sys.argv[1]:28} {time.monotonic() - began:7.2f} s, {used.ru_utime + used.ru_stime:7.2f} s of a processor, "
      f"{used.ru_maxrss / 1024:6.0f} MiB")
PY
}

for hours in $HOURS; do
  run=$TMP/run
  "$BUILD/lockstep-generate" "$run" --ranks "$RANKS" --operations $((hours * 14400)) --every-ms 250 --hang-rank 1
  echo "$hours h: $(du -sm "$run" | cut -f1) MB, $("$BUILD/lockstep" count "$run" --last 1m --json | jq .records) records in the last minute"
  measure "diagnose of the hang" diagnose "$run"
  measure "diagnose --last 1m" diagnose "$run" --last 1m
  measure "count --last 1m" count "$run" --last 1m
  measure "cat --last 1m" cat "$run" --last 1m
  measure "a minute in the middle" count "$run" --from "$((hours * 1800))s" --to "$((hours * 1800 + 60))s"
  [ "$hours" -gt 10 ] || measure "diagnose of the whole" diagnose "$run" --from 0
  rm -r "$run"
done
