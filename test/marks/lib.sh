# Sourced by the tests of a program's own marks: the plugin, the command, and the program that marks.
# shellcheck shell=bash
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need jq jq
export LOCKSTEP_HOST_LOAD=0
PLUGIN=$BUILD/libnccl-profiler.so
LOCKSTEP=$BUILD/lockstep
# Marks of a run by their call, as "step_begin 10": those that `lockstep cat` shows.
marks_of() { "$LOCKSTEP" cat "$1" | jq -r 'select(.call | IN("start", "state", "stop") or startswith("comm_") | not) | .call' | sort | uniq -c | awk '{print $2, $1}'; }
kept_marks() { "$LOCKSTEP" count "$1" --json | jq '.starts.Mark // 0'; }
want_verified() { "$LOCKSTEP" verify "$1" >"$TMP/verify" || { cat "$TMP/verify"; fail "verify found a difference"; }; }
