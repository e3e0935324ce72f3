#!/usr/bin/env bash
# Nobody includes what its layer may not know; and the check itself finds each kind of offence.
. "$(dirname "$0")/../lib.sh"
"$ROOT/scripts/check_layers.sh" || fail "a file includes what its layer may not know (see above)"

mkdir -p "$TMP"/{scripts,include,dumper,plugin,analysis,cli}
cp "$ROOT/scripts/check_layers.sh" "$TMP/scripts/"
finds() {  # finds FILE LINE: the check fails when FILE holds LINE
  echo "$2" >"$TMP/$1"
  if "$TMP/scripts/check_layers.sh" >"$TMP/out"; then fail "the check did not find '$2' in $1"; fi
  grep -q "$1" "$TMP/out" || fail "the check did not name $1: $(cat "$TMP/out")"
  rm "$TMP/$1"
}
finds dumper/a.cc '#include "plugin/process.h"'
finds analysis/a.h '#include "plugin/process.h"'
finds include/a.h '#include "dumper/config.h"'
finds cli/a.cc '#include "dumper/config.h"'
finds plugin/a.cc '#include <concurrentqueue/concurrentqueue.h>'
finds dumper/a.h '#include <rapidjson/reader.h>'
finds plugin/a.cc '#include <iostream>'
finds cli/a.h 'using namespace std;'
echo '#include "dumper/a.h"' >"$TMP/plugin/good.cc"
"$TMP/scripts/check_layers.sh" || fail "the check refused a lawful include"
