# Sourced by the tests of simulated jobs.
# shellcheck shell=bash
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need jq jq

judged() { # judged ARGUMENTS: who is named, in world ranks
  rm -rf "$TMP/run"
  "$BUILD/lockstep-simulate" "$TMP/run" --steps 30 "$@"
  "$BUILD/lockstep" diagnose "$TMP/run" --json >"$TMP/answer" || [ $? = 1 ] || fail "diagnose ended with $?"
  jq -c '[.findings[] | [.kind, .culprits_world]] | sort' "$TMP/answer"
}
