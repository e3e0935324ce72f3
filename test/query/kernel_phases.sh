#!/usr/bin/env bash
# Where symmetric kernels wait, by their phases: rank 1 of two is 100 ms late in each of five all-gathers, so rank 0 waits
# that long in initial_sync and rank 1 does not.
. "$(dirname "$0")/../lib.sh"
lockstep=$BUILD/lockstep
export LOCKSTEP_EVENTS=all
LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --ranks 2 --ops none --symmetric --iterations 5 \
  --channels 3 --late-rank 1 --late-us 100000 >/dev/null
need_duckdb "$TMP/run"
value() { "$lockstep" query "$TMP/run" --csv "$1" | tail -1; }
want_equal "phases of two ranks and three channels in five kernels" 90 "$(value "SELECT count(gpu_ns) FROM kernel_phases")"
want_equal "phases" "compute final_sync initial_sync" \
  "$("$lockstep" query "$TMP/run" --csv "SELECT DISTINCT phase FROM kernel_phases ORDER BY phase" | tail -n +2 | xargs)"
want_equal "communicators" world "$(value "SELECT DISTINCT comm FROM kernel_phases")"
waited() { value "SELECT CAST(sum(gpu_ns) / 3000000 AS BIGINT) FROM kernel_phases JOIN processes p USING (process)
  WHERE phase = 'initial_sync' AND p.rank = $1"; }
[ "$(waited 1)" -lt "$(waited 0)" ] || fail "rank 1 was late and waited $(waited 1) ms, rank 0 $(waited 0) ms"
# How late rank 1 was at least, as the bounds of both kernels' starts on the host's clock say. A machine that holds rank 0
# up, too, makes this less.
want_equal "all-gathers in which rank 0 waited on all channels until rank 1 had begun" 5 "$(value "
  WITH late AS (SELECT first.process, first.event_id, second.kernel_start_ns - second.kernel_early_ns - first.kernel_start_ns
                  - first.kernel_late_ns AS least_ns
                FROM operations first JOIN operations second USING (ordinal) WHERE first.rank = 0 AND second.rank = 1),
       waits AS (SELECT process, kernel.parent_id AS event_id, count(*) AS channels, min(phase.gpu_ns) AS wait_ns
                 FROM events phase JOIN events kernel USING (process)
                 WHERE phase.parent_id = kernel.event_id AND phase.name = 'initial_sync' GROUP BY ALL)
  SELECT count(*) FROM late JOIN waits USING (process, event_id) WHERE channels = 3 AND wait_ns >= least_ns")"
line=$(sed -n 's/^    \(SELECT .* FROM kernel_phases .*;\)$/\1/p' "$ROOT/docs/query.md")
want_equal "rows of the line in docs/query.md" 6 "$("$lockstep" query "$TMP/run" --csv "$line" | tail -n +2 | wc -l)"
want_equal "its first initial_sync is the late rank's" "$(value "SELECT process FROM processes WHERE rank = 1")" \
  "$("$lockstep" query "$TMP/run" --csv "$line" | grep initial_sync | head -1 | cut -d, -f1)"
# Kernel channels have their time by the GPU's clock, too.
want_equal "kernel channels" 30 "$(value "SELECT count(gpu_ns) FROM events WHERE kind = 'KernelCh'")"
