#!/usr/bin/env bash
# Kernel stamps of a real H200, 4 processes: every start and stop lies within its stated interval of what another program read
# off the GPU's clock meanwhile (test/nccl/gpu_clock.cu), and the estimate is within the 5 us that it allows for being seen.
. "$(dirname "$0")/../lib.sh"
need python3 python3
cp -r "$ROOT/test/data/recordings/gpu/straggler" "$TMP/run"
"$BUILD/lockstep" align "$TMP/run" >"$TMP/out" || fail "not aligned: $(cat "$TMP/out")"
"$BUILD/lockstep" cat "$TMP/run" --kind KernelCh >"$TMP/stamps"
"$BUILD/lockstep" export "$TMP/run" --to csv -o "$TMP/csv" --force >"$TMP/out" || fail "no export: $(cat "$TMP/out")"
PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/test/clocksync/gpu_truth.py" "$TMP/stamps" "$TMP/csv" "$ROOT/test/data/gpu/clock_readings.csv" 800 5000 ||
  fail "see above"
