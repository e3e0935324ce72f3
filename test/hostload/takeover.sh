#!/usr/bin/env bash
# One process per host samples all of them. When it is killed another takes over, and the file goes on.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/common.sh"
lockstep=$BUILD/lockstep
need jq jq
[ -r /proc/self/schedstat ] || skip "this kernel keeps no schedstat (CONFIG_SCHED_INFO)"
started=()
trap 'for pid in "${started[@]}"; do kill -9 "$pid" 2>/dev/null || true; done; rm -rf "$TMP"' EXIT
program 1
one=$!
program 2
other=$!
started=("$one" "$other")
recorders() { "$lockstep" info --json "$RUN" 2>/dev/null | jq '.processes[].pid'; }
four_record() { [ "$(recorders | wc -l)" = 4 ]; }
until_true "segments of two programs of two ranks" four_record
mapfile -t started < <(tree "$one"; tree "$other")
mapfile -t pids < <(recorders)
need_duckdb "$RUN"
sampled() { query "SELECT DISTINCT pid FROM thread_load WHERE at_ns > $1 ORDER BY pid"; }
four_are_sampled() { [ "$(sampled 0 | wc -l)" = 4 ]; }
until_true "samples of all four" four_are_sampled

samplers() {  # the processes that have the file open
  local pid
  for pid in "${pids[@]}"; do
    [ -n "$(find "/proc/$pid/fd" -lname "*.load" 2>/dev/null)" ] && echo "$pid"
  done
  true
}
first=$(samplers)
want_equal "processes that sample" 1 "$(wc -w <<<"$first")"
unharmed=$other
case " $(tree "$other" | xargs) " in *" $first "*) unharmed=$one ;; esac
mapfile -t left < <(tree "$unharmed" | grep -Fx "$(printf '%s\n' "${pids[@]}")" | sort -n)
kill -9 "$first"
another_samples() { local now; now=$(samplers); [ -n "$now" ] && [ "$now" != "$first" ]; }
until_true "a process that takes over" another_samples
want_equal "processes that sample then" 1 "$(samplers | wc -w)"
last=$(query "SELECT max(at_ns) FROM thread_load")
sampled_anew
missing=$(comm -23 <(printf '%s\n' "${left[@]}" | sort) <(sampled "$last" | sort))
want_equal "processes of the other program" 2 "${#left[@]}"
want_equal "those of them that are not sampled any more" "" "$missing"
want_equal "files" 1 "$(load_file | wc -l)"
