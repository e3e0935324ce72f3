#!/usr/bin/env bash
# Four ranks read their data before each iteration; one has less memory than its data takes, and reads them from the disk
# again each time: it is late, by memory pressure.
# serial
. "$(dirname "$0")/lib.sh"
make_group memory
echo 32M >"$GROUP/memory.limit_in_bytes"
for rank in 0 1 2 3; do head -c 32M /dev/zero >"$TMP/data.$rank"; done
sync "$TMP"/data.*
for rank in 0 1 2 3; do dd if="$TMP/data.$rank" iflag=nocache count=0 status=none; done # memory belongs to who reads first
job memory_limit "--iterations 60 --rate 10 --sizes 64K --data $TMP/data.%r" env
named memory_limit memory_pressure
want_equal "whose limit" "memory:/${GROUP##*/}" "$(jq -r '.why_evidence[0].where' "$TMP/found")"
