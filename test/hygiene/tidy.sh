#!/usr/bin/env bash
# clang-tidy's chosen checks (.clang-tidy) find nothing in our own code. Sources that are compiled together are read
# together, in a quarter of the time (an #include of a .cc is what does it); that each includes what it uses, clang++ checks apart.
# timeout: 2400
. "$(dirname "$0")/../lib.sh"
only_when_long "a whole build of its own, which .ci/run makes next: LONG=1 test/run hygiene/"
need clang-tidy clang-tidy
need clang++ clang
cd "$ROOT"
make -s tidy-units >"$TMP/units"
[ "$(wc -w <"$TMP/units")" -gt 400 ] || fail "make tidy-units names few sources: $(cat "$TMP/units")"

status=0
nice xargs -P 2 -L 1 sh -c 'before= last=
  for source; do before="$before${last:+ -include $last}" last=$source; done
  clang-tidy --quiet --checks=-bugprone-suspicious-include "$last" -- -std=c++17 -Iinclude -I. $before 2>/dev/null || exit 255' tidy <"$TMP/units" >"$TMP/out" || status=$?
awk 'NF > 1' "$TMP/units" | tr ' ' '\n' |
  nice xargs -P 2 -n 8 clang++ -std=c++17 -Iinclude -I. -fsyntax-only >>"$TMP/out" 2>&1 || status=$?
[ $status = 0 ] || { cat "$TMP/out"; fail "clang-tidy found something (see above)"; }
