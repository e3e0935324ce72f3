#!/usr/bin/env bash
# A C program that marks runs without lockstep, and beside a lockstep that does not record: every mark is refused, nothing
# is written, and it needs no library of ours to be built.
. "$(dirname "$0")/lib.sh"
need gcc gcc
cat >"$TMP/marks.c" <<'C'
#define _GNU_SOURCE
#include "lockstep/mark.h"

int main(int argc, char** argv) {
  int refused = 0;
  if (argc > 1 && dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) == NULL) return 100;
  refused += lockstep_mark_step_begin(1);
  refused += lockstep_mark_range_push("forward");
  refused += lockstep_mark_range_pop();
  refused += lockstep_mark_text("here");
  refused += lockstep_mark_capture_start("slow");
  refused += lockstep_mark_capture_stop("slow");
  refused += lockstep_mark_step_end(1);
  return refused;
}
C
gcc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -I"$ROOT/include" "$TMP/marks.c" -ldl -o "$TMP/marks" || fail "mark.h is no C99"
mkdir "$TMP/empty"
cd "$TMP/empty"
rc=0; ../marks || rc=$?
want_equal "marks refused without lockstep" 7 $rc
rc=0; NCCL_PROFILER_PLUGIN=$PLUGIN ../marks "$PLUGIN" || rc=$?
want_equal "marks refused before NCCL's first init" 7 $rc
want_equal "files" "" "$(ls "$TMP/empty")"
told=$(LOCKSTEP_ENABLE=0 LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-marks" "$PLUGIN" --steps 2 --threads 2 --ranges 1)
want_equal "marks where nothing is recorded" '{"recorded":0,"refused":16}' "$(jq -c .inside <<<"$told")"
[ ! -e "$TMP/run" ] || fail "a run of a process that is not to be recorded"
