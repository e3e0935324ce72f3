#!/usr/bin/env bash
# A disk that is full for a part of a run at 200,000 events a second (683,000 calls). With the default buffers
# everything is written after it was freed; with 8 MiB exactly what the cap forced out is in the ledger. LONG=1: full for
# 3 s of 10, as docs/measured/faults.md has it, with percentiles of the calls; without, as long as it takes to make some
# calls.
# shellcheck disable=SC2034,SC2154  # lib.sh shares its variables
. "$(dirname "$0")/lib.sh"
in_mount_namespace "$@"
export LOCKSTEP_DUMP_INTERVAL_US=1000000
mkdir "$TMP/small"
mount -t tmpfs -o size=64m none "$TMP/small"
rate=$((200000 / 12 / 2)) # operations of 12 events each, two threads

for buffers in 256 8; do
  begin "disk full, 200,000 events/s, $buffers MiB of buffers"
  dir=$TMP/small/run
  rm -rf "$dir"
  export LOCKSTEP_DIR=$dir LOCKSTEP_BUFFER_MB=$buffers
  start_storm --rate $rate ${LONG:+--latency}
  if [ -n "${LONG:-}" ]; then sleep 4; else let_calls_go_on 100000; fi
  dd if=/dev/zero of="$TMP/small/filler" bs=4k 2>/dev/null || true
  wait_for_log 'cannot write: No space left on device'
  before=$(returned)
  if [ -n "${LONG:-}" ]; then sleep 3; else let_calls_go_on 1000000; fi
  under_fault=$(($(returned) - before))
  rm "$TMP/small/filler"
  wait_for_log 'writing again'
  if [ -n "${LONG:-}" ]; then sleep 3; else let_calls_go_on 100000; fi
  end_storm
  if [ $buffers = 256 ]; then want_exact; else want_exact_or_counted memory; fi
  want_said 'cannot write: No space left'
  host+="; $under_fault calls returned while it was full; $(grep -o 'p50.*' "$err" || true)"
  end_row
done
