#!/usr/bin/env bash
# Ranks on two hosts with clocks 8,500 s apart, probed by the plugin itself: many impossible orders before, none after, offset within +-.
. "$(dirname "$0")/common.sh"
two_hosts
run_ranks --iterations 500
want_aligned probes
[ "$(jq '.pairs[0] | .hi_ns - .lo_ns' "$TMP/clock.json")" -le 20000 ] || fail "too wide: $(jq -c .pairs "$TMP/clock.json")"
