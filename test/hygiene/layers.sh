#!/usr/bin/env bash
# Nobody includes what its layer may not know; and the check itself finds each kind of offence.
. "$(dirname "$0")/../lib.sh"
"$ROOT/scripts/check_layers.sh" || fail "a file includes what its layer may not know (see above)"

mkdir -p "$TMP"/{scripts,include,base,dumper/{segment,run,drain,feeds},plugin/record,analysis/{judge,load},cli}
cp "$ROOT/scripts/check_layers.sh" "$TMP/scripts/"
refused() {  # refused WHAT NAME: the check fails and names NAME
  if "$TMP/scripts/check_layers.sh" >"$TMP/out"; then fail "the check did not find $1"; fi
  grep -q "$2" "$TMP/out" || fail "the check did not name $2: $(cat "$TMP/out")"
}
finds() {  # finds FILE LINE: the check fails when FILE holds LINE
  echo "$2" >"$TMP/$1"
  refused "'$2' in $1" "$1"
  rm "$TMP/$1"
}
finds dumper/run/a.cc '#include "plugin/process/process.h"'
finds dumper/segment/a.cc '#include "dumper/run/run_files.h"'
finds dumper/drain/a.cc '#include "dumper/feeds/in_flight.h"'
finds analysis/judge/a.h '#include "plugin/process/process.h"'
finds analysis/judge/a.h '#include "analysis/load/run.h"'
finds include/a.h '#include "base/waker.h"'
finds base/a.h '#include "dumper/segment/varint.h"'
finds cli/a.cc '#include "dumper/segment/varint.h"'
finds cli/a.cc '#include <CLI/CLI.hpp>'
finds plugin/record/a.cc '#include <concurrentqueue/concurrentqueue.h>'
finds dumper/run/a.h '#include <rapidjson/reader.h>'
finds plugin/record/a.cc '#include <iostream>'
finds cli/a.h 'using namespace std;'
echo '#include "dumper/segment/varint.h"' >"$TMP/plugin/record/good.cc"
echo '#include "base/waker.h"' >"$TMP/dumper/run/good.cc"
"$TMP/scripts/check_layers.sh" || fail "the check refused a lawful include"
echo '#include "dumper/run/b.h"' >"$TMP/dumper/run/a.cc"
echo '#include "dumper/run/a.h"' >"$TMP/dumper/run/b.h"
refused "two modules that include each other" dumper/run/b
