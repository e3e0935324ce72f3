#!/usr/bin/env bash
# A run of four seconds on two hosts, probed for real: what was too short to measure is said, no host is called good, and
# only --require good makes that an exit code.
. "$(dirname "$0")/../lib.sh"
need jq jq
run=$ROOT/test/data/recordings/two_hosts
code=0
"$BUILD/lockstep" clock "$run" --json >"$TMP/clock.json" || code=$?
want_equal "exit code" 0 "$code"
want_equal "grade" "not known" "$(jq -r '.hosts[1].grade' "$TMP/clock.json")"
want_equal "reason" "not measured: windows (none ended), coverage (a run of 4 s)" "$(jq -r '.hosts[1].reason' "$TMP/clock.json")"
want_equal "of the pair" "not known" "$(jq -r '.edges[0].grade' "$TMP/clock.json")"
"$BUILD/lockstep" clock "$run" | grep -q '^h1 *not known .*not measured: windows' || fail "the table does not say it"
"$BUILD/lockstep" clock "$run" --require good >"$TMP/out" || code=$?
want_equal "exit code of --require good" 1 "$code"
