#!/usr/bin/env bash
# Files and lines of a program without .debug_aranges, as clang builds it: its units say which addresses they have.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/libdw.sh"
need objcopy binutils
objcopy --remove-section .debug_aranges "$BUILD/test/unit_live_native" "$TMP/unit"
! readelf -S "$TMP/unit" | grep -q debug_aranges || fail "objcopy left .debug_aranges in place"
readelf -S "$TMP/unit" | grep -q debug_info || fail "the program has no debug information"
"$TMP/unit" --gtest_filter='UnwindTest.*' >"$TMP/log" 2>&1 || { cat "$TMP/log"; fail "stacks without .debug_aranges"; }
if grep -q 'SKIPPED' "$TMP/log"; then skip "$(grep -A1 Skipped "$TMP/log" | tail -1)"; fi
