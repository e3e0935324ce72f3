#!/usr/bin/env bash
# That a report is asked for before the first communicator goes costs the thread that ends it at most two system calls, which wake
# the dump thread: it opens, writes and waits for nothing. Counted, so the same on every machine; bench/teardown has the times.
. "$(dirname "$0")/lib.sh"
need strace strace
strace -f -qq -o /dev/null true 2>/dev/null || skip "strace may not trace here"
make -s -C "$ROOT" BUILD="$BUILD" "$BUILD/bench/teardown"

# calls WHICH: system calls of the main thread in the end of the first communicator, one a line.
calls() {
  LOCKSTEP_DIR=$TMP/$1 strace -f -qq -o "$TMP/trace.$1" "$BUILD/bench/teardown" "$PLUGIN" "$1" || fail "$1 ended with $?"
  local main
  main=$(sed -n '1s/ .*//p' "$TMP/trace.$1")
  sed -n "s/^$main \\+//p" "$TMP/trace.$1" | awk '/^getppid/ { ++marks; next } marks == 1' >"$TMP/calls.$1"
  [ "$(grep -cE "^$main +getppid" "$TMP/trace.$1")" -eq 4 ] || fail "$1: the ends are not marked"
}
calls plain
calls asked
[ -e "$TMP/asked/snapshot.wanted" ] || fail "nobody asked for a report"
[ ! -e "$TMP/plain/snapshot.wanted" ] || fail "a report is asked for where nobody looks"
names() { sed -n 's/^\([a-z_0-9]*\)(.*/\1/p' "$TMP/calls.$1"; }  # without what became of a call that another thread interrupted
grep -E '^futex' "$TMP/calls.asked" >"$TMP/wakes" || true
echo "system calls of the thread: $(names plain | wc -l) without, $(names asked | wc -l) with the request, of which wake another: $(wc -l <"$TMP/wakes")"
want_equal "system calls beside those that wake another thread" "$(names plain | grep -v futex | xargs)" "$(names asked | grep -v futex | xargs)"
[ "$(wc -l <"$TMP/wakes")" -le 2 ] || fail "it wakes more than one thread: $(cat "$TMP/wakes")"
! grep -v FUTEX_WAKE "$TMP/wakes" || fail "the thread waits for another"
