#!/usr/bin/env bash
# Ranks on two hosts with clocks 8,500 s apart, probed by the plugin itself: many impossible orders before, none after;
# the interval is as narrow as the packets allow, and the grade is the one that goes with it.
. "$(dirname "$0")/common.sh"
two_hosts
run_ranks --iterations 500
want_aligned probes
"$CHECK" "$RUN" h0=offset_ns=500000000000 h1=offset_ns=9000000000000 --stamps kernel || fail "see above"
half=$(jq '.hosts[1].half_width_ns' "$TMP/clock.json")
# A step suspected from noise lowers the grade as well; good is nothing that lasts less than ten seconds.
steps=$(jq '[.faults[] | select(.kind == "clock_step")] | length' "$TMP/clock.json")
grade=usable
if [ "$half" -le 20000 ] && [ "$steps" = 0 ]; then
  grade=good
  [ "$(jq '.hosts[1].of_seconds' "$TMP/clock.json")" -ge 10 ] || grade="not known"
fi
want_equal "grade for +-$half ns" "$grade" "$(jq -r '.hosts[1].grade' "$TMP/clock.json")"
# The same clock as counters in a trace, each with its band.
need protoc protobuf-compiler
"$LOCKSTEP" export "$RUN" --to perfetto -o "$TMP/trace"
protoc --decode=lockstep.perfetto.Trace -I "$ROOT/test/export" "$ROOT/test/export/perfetto.proto" <"$TMP/trace" >"$TMP/text" ||
  fail "protoc cannot decode the export"
want_equal "counters of h1's clock" 'clock drift h1;clock drift, least h1;clock drift, most h1;clock error h1;clock offset h1;clock offset, least h1;clock offset, most h1' \
  "$(sed -n 's/^ *name: "\(clock [^"]* h1\)"$/\1/p' "$TMP/text" | sort | paste -sd';')"
grep -q 'unit_name: "ppb"' "$TMP/text" || fail "drift has no unit"
