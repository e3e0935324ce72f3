#!/usr/bin/env bash
# make bench: every measurement that the docs quote, with the facts of the machine. PEER=/path/other.so adds ratios against
# another profiler plugin under the same load in the same run.
set -euo pipefail
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
echo "machine: $(nproc) cores, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), Linux $(uname -r)"
echo "load before: $(cut -d' ' -f1-3 /proc/loadavg)"
for program in "$BUILD"/bench/*; do
  [ -x "$program" ] || continue
  name=$(basename "$program")
  echo; echo "== $name"
  case $name in
    hot_path | footprint) "$program" "$BUILD/libnccl-profiler.so" ${PEER:+--peer "$PEER"} ;;
    few_calls) echo "(for callgrind: see test/spine/instructions.sh)" ;;
    *) "$program" ;;
  esac
done
