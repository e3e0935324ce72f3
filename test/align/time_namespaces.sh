#!/usr/bin/env bash
# Ranks on two hosts with clocks 8,500 s apart, probed by the plugin itself: many impossible orders before, none after;
# the interval is as narrow as the packets allow, and the grade is the one that goes with it.
. "$(dirname "$0")/common.sh"
two_hosts
run_ranks --iterations 500
want_aligned probes
"$CHECK" "$RUN" h0=offset_ns=500000000000 h1=offset_ns=9000000000000 --stamps kernel || fail "see above"
half=$(jq '.hosts[1].half_width_ns' "$TMP/clock.json")
# A step suspected from noise lowers the grade as well.
steps=$(jq '[.faults[] | select(.kind == "clock_step")] | length' "$TMP/clock.json")
grade=usable
[ "$half" -gt 20000 ] || [ "$steps" -gt 0 ] || grade=good
want_equal "grade for +-$half ns" "$grade" "$(jq -r '.hosts[1].grade' "$TMP/clock.json")"
