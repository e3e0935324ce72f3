#!/usr/bin/env bash
# A rank in a cgroup whose processor quota runs out is late, and throttled.
# serial
. "$(dirname "$0")/lib.sh"
make_group cpu
echo 100000 >"$GROUP/cpu.cfs_period_us"
echo 1000 >"$GROUP/cpu.cfs_quota_us"
job processor_quota "--iterations 250 --rate 50 --sizes 1M" env
named processor_quota throttled
want_equal "what ran out" "cpu:/${GROUP##*/}" "$(jq -r '.why_evidence[0].where' "$TMP/found")"
