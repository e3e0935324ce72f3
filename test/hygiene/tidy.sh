#!/usr/bin/env bash
# clang-tidy's chosen checks (.clang-tidy) find nothing in our own code. Most of its time goes into the standard headers, so
# it reads forty sources as one (an #include of a .cc is what does it); that each includes what it uses, clang++ checks apart.
# timeout: 2400
. "$(dirname "$0")/../lib.sh"
only_when_long "a whole build of its own, which .ci/run makes next: LONG=1 test/run hygiene/"
need clang-tidy clang-tidy
need clang++ clang
cd "$ROOT"
FLAGS="-std=c++17 -Iinclude -I."
find base plugin dumper clocksync hostload reader analysis live cli -name '*.cc' | LC_ALL=C sort >"$TMP/sources"
[ "$(wc -l <"$TMP/sources")" -gt 400 ] || fail "there are few sources: $(cat "$TMP/sources")"

# read_together SOURCE...: in halves where two of them give different things one name.
read_together() {
  local before=() last=${*: -1} half=$(($# / 2)) source
  for source in "${@:1:$#-1}"; do before+=(-include "$source"); done
  # shellcheck disable=SC2086
  if [ $# = 1 ] || clang++ $FLAGS -fsyntax-only -ferror-limit=1 "${before[@]}" "$last" 2>/dev/null; then
    clang-tidy --quiet --checks=-bugprone-suspicious-include "$last" -- $FLAGS "${before[@]}" 2>/dev/null
  else
    read_together "${@:1:half}" && read_together "${@:half + 1}"
  fi
}
export -f read_together
export FLAGS

status=0
nice xargs -P 2 -n 40 bash -c 'read_together "$@" || exit 255' tidy <"$TMP/sources" >"$TMP/out" || status=$?
# shellcheck disable=SC2086
nice xargs -P 2 -n 8 clang++ $FLAGS -fsyntax-only <"$TMP/sources" >>"$TMP/out" 2>&1 || status=$?
[ $status = 0 ] || { cat "$TMP/out"; fail "clang-tidy found something (see above)"; }
