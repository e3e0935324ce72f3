#!/usr/bin/env bash
# The same two hosts without any probing, as where it is switched off or UDP is blocked: the collectives alone align them, say so, and carry
# their wider bounds.
. "$(dirname "$0")/common.sh"
two_hosts
export LOCKSTEP_CLOCK=0
run_ranks --iterations 300
want_aligned collectives
want_equal "grade" usable "$(jq -r '.hosts[1].grade' "$TMP/clock.json")"
jq -r '.hosts[1].reason' "$TMP/clock.json" | grep -q 'collectives' || fail "the reason does not name the collectives"
