# Sourced by the tests of the way of the data: record with the real plugin, count, compare with the truth.
# shellcheck shell=bash
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need jq jq
PLUGIN=$BUILD/libnccl-profiler.so
# The command may come from another build than the plugin: a sanitized plugin is read by the ordinary command.
LOCKSTEP=${READER:-$BUILD/lockstep}

# The calls of a driver's line, as `lockstep count` would show them.
calls_of() { jq -cS '{starts, states, stops}' <<<"$1"; }
# The calls that a run directory holds, kept ones only.
counted() { "$LOCKSTEP" count "$1" --json | jq -cS '{starts, states: .states_by_kind, stops: .stops_by_kind}'; }
lost() { "$LOCKSTEP" count "$1" --json | jq '[.shed[]?] | add // 0'; }

# want_recorded WHAT DRIVER_LINE DIR: everything is there, and the ledger agrees.
want_recorded() {
  want_equal "$1: calls" "$(calls_of "$2")" "$(counted "$3")"
  "$LOCKSTEP" verify "$3" >"$TMP/verify" || { cat "$TMP/verify"; fail "$1: verify found a difference"; }
}
