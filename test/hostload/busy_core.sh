#!/usr/bin/env bash
# Of two ranks, one shares its core with busy loops that go first: thread_load says how long its threads waited for the core, as the
# kernel counted it.
# serial: its busy loops would be the load of other tests
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/common.sh"
lockstep=$BUILD/lockstep
need taskset util-linux
need jq jq
[ -r /proc/self/schedstat ] || skip "this kernel keeps no schedstat (CONFIG_SCHED_INFO)"

started=()
trap 'for pid in "${started[@]}"; do kill -9 "$pid" 2>/dev/null || true; done; rm -rf "$TMP"' EXIT
LOCKSTEP_DIR=$RUN "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --ranks 2 --nodes 1 --iterations 100000000 \
  >"$TMP/counts" 2>&1 &
launcher=$!
ranks_are_known() {
  "$lockstep" info --json "$RUN" 2>/dev/null | jq -e '[.processes[].communicators[0].rank] | sort == [0, 1]' >"$TMP/known"
}
until_true "segments of both ranks" ranks_are_known
mapfile -t started < <(tree "$launcher")
need_duckdb "$RUN"
until_true "samples of two threads of each rank" threads_are_sampled 4
pid_of() { "$lockstep" info --json "$RUN" | jq ".processes[] | select(.communicators[0].rank == $1).pid"; }
late=$(pid_of 1)

core=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
# The kinder the rank, the less it depends on what else this machine does that the loops get most of the core.
for task in /proc/"$late"/task/*; do
  taskset -cp "$core" "${task##*/}" >/dev/null || true
  renice -n 19 -p "${task##*/}" >/dev/null 2>&1 || true
done
for _ in 1 2 3; do
  taskset -c "$core" sh -c 'while :; do :; done' &
  started+=($!)
done

truth() {  # truth: each sampled thread, and the kernel's own count of what it ran and waited
  query "SELECT DISTINCT pid, tid FROM thread_load ORDER BY ALL" | tr , ' ' | while read -r pid tid; do
    echo "$pid $tid $(cat "/proc/$pid/task/$tid/schedstat")"
  done
}
sampled_anew
truth >"$TMP/before"
sampled_anew
truth >"$TMP/after"
sampled_anew

join -j 2 <(sort -k2,2 "$TMP/before") <(sort -k2,2 "$TMP/after") >"$TMP/both"
while read -r tid pid run1 wait1 _ _ run2 wait2 _; do
  between=$(query "SELECT count(*) FROM thread_load WHERE pid = $pid AND tid = $tid AND total_run_ns BETWEEN $run1 AND $run2
    AND total_wait_ns BETWEEN $wait1 AND $wait2")
  [ "$between" -ge 5 ] || fail "thread $tid: $between samples lie between two readings of the kernel's count, seconds apart"
done <"$TMP/both"

# Who waited longest, by the kernel and by the table.
by_kernel=$(awk '{wait[$2] += $8 - $4} END {for (pid in wait) printf "%.0f %d\n", wait[pid], pid}' "$TMP/both" | sort -rn | awk 'NR == 1 {print $2}')
want_equal "the process that waited longest, by the kernel" "$late" "$by_kernel"
want_equal "the process that waited longest, by the table" "$late" \
  "$(query "SELECT pid FROM thread_load WHERE at_ns > (SELECT max(at_ns) - 3000000000 FROM thread_load) GROUP BY pid
    ORDER BY sum(wait_ns) DESC LIMIT 1")"
want_equal "processors that its threads may use" 1 \
  "$(query "SELECT arg_max(processors_allowed, at_ns) FROM thread_load WHERE pid = $late AND tid = $late")"
