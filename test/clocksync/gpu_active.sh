#!/usr/bin/env bash
# LOCKSTEP_GPU_CLOCK=active against a library of ours with a known clock: readings land in the process's own clock
# file, each brackets the known clock, and without the library, or when it fails, the job goes on with one notice.
. "$(dirname "$0")/../lib.sh"
need python3 python3
export LOCKSTEP_ENABLE=1 LOCKSTEP_HOST=h0 LOCKSTEP_CLOCK_SNAPSHOT_MS=10 GPU_CLOCK_OFFSET_NS=7000000000 GPU_CLOCK_PPM=40
export LOCKSTEP_CUPTI=$BUILD/test/libgpu_clock.so
record() { # DIRECTORY
  mkdir -p "$1"
  LOCKSTEP_DIR=$1 "$BUILD/lockstep-emulate" --ranks 2 --iterations 1000 --rate 1000 "$BUILD/libnccl-profiler.so" \
    >"$1.out" 2>&1 || fail "the job failed: $(tail -3 "$1.out")"
  [ -n "$(find "$1" -name '*.lks')" ] || fail "nothing was recorded in $1"
}
readings() { find "$1" -name '*.gpu*.clock' -exec cat {} + 2>/dev/null; }

record "$TMP/passive"
[ -z "$(readings "$TMP/passive")" ] || fail "the GPU's clock was read although nobody asked for it"

real_minus_raw() { python3 -c 'import time
readings = [(time.clock_gettime_ns(4), time.clock_gettime_ns(0), time.clock_gettime_ns(4)) for _ in range(200)]
a, real, b = min(readings, key=lambda r: r[2] - r[0])
print(real - (a + b) // 2)'; }
export LOCKSTEP_GPU_CLOCK=active
before=$(real_minus_raw)
record "$TMP/active"
readings "$TMP/active" >"$TMP/readings"
# REALTIME minus RAW lies between its values before and after; 5 us for the readings of these two.
python3 - "$TMP/readings" "$before" "$(real_minus_raw)" <<'P' || fail "see above"
import json, sys
least, most = sorted(map(int, sys.argv[2:4]))
rows = [json.loads(line) for line in open(sys.argv[1])]
rows = [row for row in rows if row["type"] == "gpu_snapshot"]
print(len(rows), "readings")
if len(rows) < 20: sys.exit("fewer than 20 readings in a second or more at 10 ms")
for row in rows:
    real = (row["gpu"] - 7_000_000_000) * 10**6 // (10**6 + 40)
    if real - least + row["gran_ns"] + 5000 < row["raw_lo"] or real - most - 5000 > row["raw_hi"]:
        sys.exit("not bracketed: %s" % row)
    if row["gpu_uuid"] != "abababab-abab-abab-abab-abababababab": sys.exit("wrong GPU: %s" % row)
    if row["gran_ns"] not in (32, 64, 1024): sys.exit("wrong step: %s" % row)
P
"$BUILD/lockstep" clock "$TMP/active" >"$TMP/clock.out" 2>&1
! grep -q 'gpu[0-9]' "$TMP/clock.out" || fail "a file of GPU readings was taken for a host: $(cat "$TMP/clock.out")"

GPU_CLOCK_FAIL=1 record "$TMP/failing"
[ -z "$(find "$TMP/failing" -name '*.gpu*.clock')" ] || fail "a file of readings was made although reading failed"
grep -q "could not be read through CUPTI" "$TMP/failing.out" || fail "no notice of the failure: $(cat "$TMP/failing.out")"
LOCKSTEP_CUPTI=$TMP/nowhere.so record "$TMP/missing"
grep -h "nowhere.so: cannot be loaded" "$TMP/missing.out" >"$TMP/notices" || fail "no notice of the missing library: $(cat "$TMP/missing.out")"
[ "$(wc -l <"$TMP/notices")" -le 2 ] || fail "more than one notice a process"
