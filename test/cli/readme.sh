#!/usr/bin/env bash
# Every command line of the README's five minutes does what it says, on a run recorded as it says.
. "$(dirname "$0")/../lib.sh"
mkdir "$TMP/work"
cd "$TMP/work"
ln -s "$BUILD" build
ln -s "$ROOT/node_modules" node_modules
LOCKSTEP_DIR=my-run LOCKSTEP_EVENTS=all NCCL_PROFILER_PLUGIN=$PWD/build/libnccl-profiler.so \
  build/lockstep-emulate --ranks 2 --iterations 20 >/dev/null
lines=$(sed -n '/^```sh$/,/^```$/s/^build\/lockstep.*/&/p' "$ROOT/README.md")
[ "$(wc -l <<<"$lines")" -ge 8 ] || fail "the README has fewer commands than expected: $lines"
while read -r line; do
  status=0
  bash -c "$line" >log 2>&1 </dev/null || status=$?
  case $line in
    *diagnose*) [ $status -le 1 ] ;;  # 1: it found something
    *query*) [ $status = 0 ] || grep -q "no DuckDB library" log ;;
    *) [ $status = 0 ] ;;
  esac || { cat log; fail "status $status: $line"; }
done <<<"$lines"
[ -s my-run/report.html ] && [ -s my-run.pftrace ] || fail "the report or the trace is missing"
