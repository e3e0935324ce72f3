#!/usr/bin/env bash
# make demo: records a real multi-process run, aligns it, prints the report, says which files to open.
# Real NCCL where a GPU and build/lockstep-nccl are, else the emulator: processes, threads and bytes are real, kernels
# are not. One rank is late on purpose, so that there is something to find.
set -euo pipefail
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
DIR=${1:-lockstep-demo}
lockstep=$BUILD/lockstep

[ ! -e "$DIR" ] || { echo "$DIR exists; remove it or name another folder: scripts/demo.sh DIR"; exit 2; }
export LOCKSTEP_DIR=$DIR LOCKSTEP_EVENTS=all
export NCCL_PROFILER_PLUGIN=$PWD/$BUILD/libnccl-profiler.so

if [ -x "$BUILD/lockstep-nccl" ] && nvidia-smi -L >/dev/null 2>&1; then
  gpus=$(nvidia-smi -L | wc -l)
  late_ms=5
  [ "$gpus" -ge 4 ] || late_ms=30  # ranks that share a GPU wait for each other's time slices, some 10 ms
  echo "== recording real NCCL: 4 ranks on $gpus GPU(s), rank 2 is $late_ms ms late in a third of the operations"
  "$BUILD/lockstep-nccl" --ranks 4 --iterations 60 --late-rank 2 --late-us "${late_ms}000" --late-fraction 0.3 >/dev/null
else
  echo "== no GPU here: recording the emulator, 4 ranks, rank 2 is 5 ms late in a third of the operations"
  "$BUILD/lockstep-emulate" --ranks 4 --iterations 100 --sizes 64K 1M --rate 50 \
    --late-rank 2 --late-us 5000 --late-fraction 0.3 >/dev/null
fi
unset NCCL_PROFILER_PLUGIN LOCKSTEP_DIR LOCKSTEP_EVENTS

echo; echo "== what was recorded";            "$lockstep" count "$DIR"
echo; echo "== is it complete?";              "$lockstep" verify "$DIR"
echo; echo "== one clock for all ranks";      "$lockstep" align "$DIR"
echo; echo "== who is late, who waits, why";  "$lockstep" diagnose "$DIR" || [ $? = 1 ]
echo; echo "== the report";                   "$lockstep" report "$DIR" --force
"$lockstep" export "$DIR" --to perfetto -o "$DIR/trace.pftrace" --force

cat <<TEXT

== open these
$DIR/report.html      plots, offline, in any browser
$DIR/summary.md       the same in words
$DIR/trace.pftrace    timeline of all ranks, at https://ui.perfetto.dev (stays in your browser)
$lockstep query $DIR "SELECT * FROM nccl_trace LIMIT 5"    (needs DuckDB, see docs/query.md)
TEXT
