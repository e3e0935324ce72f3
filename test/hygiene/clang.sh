#!/usr/bin/env bash
# clang++ builds everything with the same warnings as errors, and the unit tests pass. At -O0: a third of the time less,
# and none of its warnings comes from the optimizer.
# timeout: 2400
. "$(dirname "$0")/../lib.sh"
only_when_long "a whole build of its own, which .ci/run makes next: LONG=1 test/run hygiene/"
need clang++ clang
cd "$ROOT"
make -j2 CXX=clang++ OPT=-O0 OPT_COLD= OPT_WARM= BUILD="$BUILD/clang" all unit >"$TMP/log" 2>&1 || { tail -30 "$TMP/log"; fail "clang++ does not build it"; }
JOBS=2 BUILD=$BUILD/clang test/run unit_ || fail "unit tests fail when built with clang++"
