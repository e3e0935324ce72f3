#!/usr/bin/env bash
# Grace hosts are ARM: everything builds with the aarch64 cross compiler, and the unit tests pass under qemu-user. At -O1:
# g++ has warned of what its optimizer sees where this machine's own build was made.
# timeout: 2400
. "$(dirname "$0")/../lib.sh"
only_when_long "a whole build of its own, which .ci/run makes next: LONG=1 test/run hygiene/"
need qemu-aarch64 qemu-user
cd "$ROOT"

status=0
scripts/cross_make.sh -j2 OPT=-O1 all unit >"$TMP/log" 2>&1 || status=$?
[ $status != 3 ] || skip "$(tail -1 "$TMP/log")"
[ $status = 0 ] || { tail -30 "$TMP/log"; fail "it does not build for aarch64"; }
[ ! -e "$BUILD/arm64/libnccl-profiler.so" ] ||
  CXX=aarch64-linux-gnu-g++ scripts/check_symbols.sh "$BUILD/arm64/libnccl-profiler.so" || fail "symbols (see above)"
export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
UNIT_UNDER=qemu-aarch64 JOBS=2 BUILD=$BUILD/arm64 test/run unit_ || fail "unit tests fail on aarch64 (see above)"
scripts/cross_make.sh -j2 OPT=-O1 wheel-here >"$TMP/log" 2>&1 || { tail -5 "$TMP/log"; fail "no wheel for aarch64"; }
