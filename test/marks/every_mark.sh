#!/usr/bin/env bash
# Every mark of eight threads at once is in the recording, exactly; those before NCCL initialises are refused and counted,
# those after it has finalised are recorded, and a forked child records nothing.
. "$(dirname "$0")/lib.sh"
told=$(LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-marks" "$PLUGIN" --steps 50 --threads 8 --ranges 40 --fork)
# 50 steps: 2 marks of the step, 4 of thread 0's ranges, 80 of each other thread's.
want_equal "what the marks returned" \
  '{"before":{"recorded":0,"refused":14},"inside":{"recorded":28300,"refused":0},"after":{"recorded":7,"refused":0},"child_is_inert":true}' "$told"
want_equal "marks by call" "capture_start 1
capture_stop 1
range_pop 14101
range_push 14101
step_begin 51
step_end 51
text 1" "$(marks_of "$TMP/run")"
want_equal "marks that count gives" 28307 "$(kept_marks "$TMP/run")"
want_verified "$TMP/run"
# The plugin was not there yet at the first seven.
grep -q "note: .*7 marks were made before NCCL initialised and are not recorded" "$TMP/verify" || { cat "$TMP/verify"; fail "nothing is said of the early marks"; }
# Each thread made its name anew in the same place.
want_equal "texts" "exchange
here
optimizer
outside
$(printf 'thread %s\n' {1..7})" "$("$LOCKSTEP" cat "$TMP/run" | jq -r 'select(.call == "range_push" or .call == "text") | .text' | sort -u)"
