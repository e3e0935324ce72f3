#!/usr/bin/env bash
# Files, modules and folders keep their measure, and the check finds what does not.
. "$(dirname "$0")/../lib.sh"
"$ROOT/scripts/check_rooms.sh" || fail "the house is out of shape (see above)"

mkdir "$TMP/scripts"
cp "$ROOT/scripts/check_rooms.sh" "$TMP/scripts/"
cp -r "$ROOT"/{include,base,plugin,dumper,clocksync,hostload,analysis,cli} "$TMP/"
mkdir -p "$TMP/test/unit/base"
"$TMP/scripts/check_rooms.sh" >/dev/null || fail "a copy of the house fails the check"
finds() {  # finds WHAT PATTERN: the check fails and says PATTERN
  if "$TMP/scripts/check_rooms.sh" >"$TMP/out"; then fail "the check did not find $1"; fi
  grep -q "$2" "$TMP/out" || fail "the check did not say '$2': $(cat "$TMP/out")"
}
seq 501 | sed 's#^#// #' >"$TMP/base/long.h"
finds "a file of 501 lines" 'longest file is 501'
rm "$TMP/base/long.h"
touch "$TMP/base/lonely.cc"
finds "a source without a header" 'base/lonely.cc has no header'
rm "$TMP/base/lonely.cc"
touch "$TMP/test/unit/base/nothing_like_it_test.cc"
finds "a test named after nothing" 'nothing_like_it_test.cc is named after nothing'
rm "$TMP/test/unit/base/nothing_like_it_test.cc"
for n in $(seq 41); do touch "$TMP/base/one_of_many_$n.h"; done
finds "a folder that is too full" 'fullest folder is'
