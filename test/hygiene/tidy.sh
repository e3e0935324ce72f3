#!/usr/bin/env bash
# clang-tidy's chosen checks (.clang-tidy) find nothing in our own code.
# timeout: 2400
. "$(dirname "$0")/../lib.sh"
only_when_long "a whole build of its own, which .ci/run makes next: LONG=1 test/run hygiene/"
need clang-tidy clang-tidy
cd "$ROOT"
shopt -s nullglob
printf '%s\n' {base,plugin,dumper,clocksync,hostload,reader,analysis,live,cli}/{,*/}*.cc |
  nice xargs -P 2 -n 4 sh -c 'clang-tidy --quiet "$@" -- -std=c++17 -Iinclude -I. 2>/dev/null || exit 255' tidy |
  tee "$TMP/out" || fail "clang-tidy found something (see above)"
