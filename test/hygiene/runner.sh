#!/usr/bin/env bash
# test/run tells passed, failed, skipped and not found apart by its exit status and says which.
. "$(dirname "$0")/../lib.sh"
mkdir -p "$TMP/test/sample"
cp "$ROOT/test/run" "$TMP/test/"
for status in 0 1 77; do
  printf '#!/bin/sh\necho "this ends with %s"\nexit %s\n' $status $status >"$TMP/test/sample/ends_with_$status.sh"
  chmod +x "$TMP/test/sample/ends_with_$status.sh"
done
runs() { BUILD=$TMP/build "$TMP/test/run" "$@" >"$TMP/out" 2>&1 && echo 0 || echo $?; }

want_equal "a test that passes" 0 "$(runs ends_with_0)"
want_equal "its count" "1 passed, 0 failed, 0 skipped" "$(tail -1 "$TMP/out")"
want_equal "a test that fails" 1 "$(runs ends_with_1)"
want_equal "a test that skips" 0 "$(runs ends_with_77)"
want_equal "all of them" 1 "$(runs)"
want_equal "their count" "1 passed, 1 failed, 1 skipped" "$(tail -1 "$TMP/out")"
want_equal "a name that no test has" 2 "$(runs nosuchtest)"
grep -q "no test's name contains nosuchtest" "$TMP/out" || fail "it does not say so: $(cat "$TMP/out")"
