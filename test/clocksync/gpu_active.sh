#!/usr/bin/env bash
# LOCKSTEP_GPU_CLOCK=active against a library of ours with a known clock: readings land in the process's own clock
# file, each brackets the known clock, and without the library, or when it fails, the job goes on with one notice.
. "$(dirname "$0")/../lib.sh"
need python3 python3
export LOCKSTEP_ENABLE=1 LOCKSTEP_HOST=h0 LOCKSTEP_CLOCK_SNAPSHOT_MS=10 LOCKSTEP_CUPTI=$BUILD/test/libgpu_clock.so
record() { # DIRECTORY
  mkdir -p "$1"
  LOCKSTEP_DIR=$1 "$BUILD/lockstep-emulate" --ranks 2 --iterations 1000 --rate 1000 --gpu-offset-us 7000000 \
    --gpu-drift-ppm 40 --truth "$1.truth" "$BUILD/libnccl-profiler.so" \
    >"$1.out" 2>&1 || fail "the job failed: $(tail -3 "$1.out")"
  [ -n "$(find "$1" -name '*.lks')" ] || fail "nothing was recorded in $1"
}
readings() { find "$1" -name '*.gpu*.clock'; }

record "$TMP/passive"
[ -z "$(readings "$TMP/passive")" ] || fail "the GPU's clock was read although nobody asked for it"

# Beside the process's segments, wherever the hosts' clock files go.
export LOCKSTEP_GPU_CLOCK=active
mkdir "$TMP/clocks"
LOCKSTEP_CLOCK_OUT=$TMP/clocks record "$TMP/active"
python3 - "$TMP/active.truth" "$TMP/active" <<'P' || fail "see above"
import glob, json, sys
for rank in range(2):
    run = json.loads(open("%s.%d" % (sys.argv[1], rank)).readline())
    rows = [json.loads(line) for line in open(glob.glob("%s/*.gpu%d.clock" % (sys.argv[2], run["pid"]))[0])]
    print(len(rows), "readings of rank", rank)
    if len(rows) < 20: sys.exit("fewer than 20 readings in a second or more at 10 ms")
    for row in rows:
        made = run["gpu_zero_raw_ns"] + (row["gpu"] - run["gpu_zero_ns"]) / (1 + run["gpu_drift_ppm"] * 1e-6)
        if not row["raw_lo"] - row["gran_ns"] - 1 <= made <= row["raw_hi"] + 1:
            sys.exit("not bracketed: %s is %d" % (row, made))
        if row["gpu_uuid"] != "abababab-abab-abab-abab-abababababab": sys.exit("wrong GPU: %s" % row)
        if row["comms"] != [1]: sys.exit("wrong communicator: %s" % row)
        if row["gran_ns"] not in (32, 1024): sys.exit("wrong step: %s" % row)
    if len(rows) > 40 and rows[-1]["gran_ns"] != 32: sys.exit("the step was not found: %s" % rows[-1])
P
"$BUILD/lockstep" clock "$TMP/active" >"$TMP/clock.out" 2>&1
! grep -q 'gpu[0-9]' "$TMP/clock.out" || fail "a file of GPU readings was taken for a host: $(cat "$TMP/clock.out")"

GPU_CLOCK_FAIL=1 record "$TMP/failing"
[ -z "$(readings "$TMP/failing")" ] || fail "a file of readings was made although reading failed"
grep -q "could not be read through CUPTI" "$TMP/failing.out" || fail "no notice of the failure: $(cat "$TMP/failing.out")"
LOCKSTEP_CUPTI=$TMP/nowhere.so record "$TMP/missing"
grep -h "nowhere.so: cannot be loaded" "$TMP/missing.out" >"$TMP/notices" || fail "no notice of the missing library: $(cat "$TMP/missing.out")"
[ "$(wc -l <"$TMP/notices")" -le 2 ] || fail "more than one notice a process"
