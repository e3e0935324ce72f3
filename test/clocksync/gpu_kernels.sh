#!/usr/bin/env bash
# Kernel stamps of a GPU whose clock is off by seconds, drifts and counts in coarse steps: recorded, aligned, and every
# start and stop lies within the stated interval of the truth; readings of the GPU's clock make the interval narrower.
. "$(dirname "$0")/../lib.sh"
need python3 python3
export LOCKSTEP_ENABLE=1 LOCKSTEP_HOST=h0 LOCKSTEP_CLOCK_SNAPSHOT_MS=10 LOCKSTEP_CUPTI=$BUILD/test/libgpu_clock.so
export LOCKSTEP_GPU_CLOCK=active
record() { # DIRECTORY [option...]
  local directory=$1
  shift
  mkdir -p "$directory"
  LOCKSTEP_DIR=$directory "$BUILD/lockstep-emulate" --ranks 2 --iterations 400 --rate 200 --sizes 64K \
    --gpu-offset-us 7000000 --gpu-drift-ppm 40 --truth "$directory.truth" "$@" \
    "$BUILD/libnccl-profiler.so" >"$directory.out" 2>&1 || fail "the job failed: $(tail -3 "$directory.out")"
  "$BUILD/lockstep" align "$directory" >"$directory.align" || fail "not aligned: $(cat "$directory.align")"
  "$BUILD/lockstep" cat "$directory" --kind KernelCh >"$directory.cat"
}
# Prints the median width of the interval.
check() { # DIRECTORY
  "$BUILD/lockstep" export "$1" --to csv -o "$1.csv" --force >"$1.export" || fail "no export"
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$ROOT/test/clocksync python3 - "$1" <<'P' || fail "$1: see above"
import glob, json, statistics, sys
import kernel_stamps
where = sys.argv[1]
ANCHORS_NS = 20  # how well the host's counter is tied to its clock (docs/clock.md)
runs = {}
for path in glob.glob(where + ".truth.*"):
    run = json.loads(open(path).readline())
    runs[run["pid"]] = run
widths, suspect, checked = [], 0, 0
for pid, row, starts, stops in kernel_stamps.operations(where + ".cat", where + ".csv"):
    run = runs[pid]
    if row["kernel_start_ns"] == "":
        suspect += int(row["flags"]) & 1
        continue
    if row["kernel_early_ns"] == "":
        widths.append(10**9)
        continue
    early, late = int(row["kernel_early_ns"]), int(row["kernel_late_ns"])
    rate = 1 + run["gpu_drift_ppm"] * 1e-6
    for told, stamp in ((row["kernel_start_ns"], min(starts)), (row["kernel_stop_ns"], max(stops))):
        first = run["gpu_zero_raw_ns"] + (stamp - run["gpu_zero_ns"]) / rate
        last = first + run["gpu_resolution_ns"] / rate  # the clock showed the stamp until here
        if not int(told) - early - ANCHORS_NS <= first <= last <= int(told) + late + ANCHORS_NS:
            sys.exit("%s says %s -%d +%d, the truth is %d to %d" % (row["event_id"], told, early, late, first, last))
        checked += 1
    widths.append(early + late)
if len(widths) < 500 or suspect > 0: sys.exit("%d stamps checked, %d suspect" % (checked, suspect))
print(int(statistics.median(widths)))
P
}

for step in 32 1024; do
  record "$TMP/run$step" --gpu-resolution-ns "$step"
  with=$(check "$TMP/run$step") || fail "$with"
  rm "$TMP/run$step"/*.gpu*.clock
  without=$(check "$TMP/run$step") || fail "$without"
  echo "step $step ns: median interval $with ns with readings, $without ns from kernels alone"
  [ "$with" -le "$((without + 2))" ] || fail "readings made the interval wider"
done
# Table v4 has no launches: then only the readings bound anything.
record "$TMP/v4" --table v4
with=$(check "$TMP/v4") || fail "$with"
rm "$TMP/v4"/*.gpu*.clock
without=$(check "$TMP/v4") || fail "$without"
echo "without launches: median interval $with ns with readings"
[ "$with" -lt 10000000 ] || fail "the readings do not bound the times: $with"
[ "$without" = 1000000000 ] || fail "times are said to be bounded that nothing bounds: $without"
"$BUILD/lockstep" report "$TMP/run32" -o "$TMP/report" >"$TMP/report.out" || fail "no report"
grep -q "GPU times" "$TMP/report/summary.md" || fail "the report does not state the GPU times' interval"
"$BUILD/lockstep" diagnose "$TMP/run32" >"$TMP/diagnose.out" || [ $? = 1 ] || fail "no diagnosis"
grep -q "GPU times" "$TMP/diagnose.out" || fail "diagnose does not state the GPU times' interval: $(cat "$TMP/diagnose.out")"
