#!/usr/bin/env bash
# Checks who includes whom: the table of rooms below, the one place each third-party header may stand, the standard
# headers that must not enter somebody else's process, and that no modules (a header and its source) include each other
# in a circle. Prints each offending line; exit 1 when there is one.
set -u
cd "$(dirname "$0")/.." || exit 1

# What each room may include besides itself, include/ and base/. A room that is missing here may include nothing.
ROOMS='
include
base
dumper/segment
dumper/run            dumper/segment
dumper/drain          dumper/segment
dumper/options        dumper/segment
dumper/feeds          dumper/segment dumper/drain dumper/options dumper/run
dumper/recovery       dumper/segment dumper/run dumper/feeds
clocksync/wire
clocksync/record
clocksync/rendezvous  clocksync/wire
clocksync/solve       clocksync/record
clocksync/probe       clocksync/wire clocksync/rendezvous clocksync/record clocksync/solve
clocksync/daemon      clocksync/wire clocksync/rendezvous clocksync/record clocksync/probe dumper/options
hostload/record       dumper/segment
hostload/sample       hostload/record
hostload/service      hostload/record hostload/sample
plugin/record         dumper/segment dumper/drain dumper/options clocksync/record
plugin/gpu            plugin/record dumper/feeds clocksync/wire clocksync/record clocksync/solve
plugin/marks          plugin/record
plugin/capture        plugin/record dumper/segment dumper/drain dumper/options dumper/feeds
plugin/process        plugin/record plugin/capture plugin/gpu plugin/chain plugin/marks hostload/service dumper/segment dumper/drain dumper/options dumper/feeds clocksync/wire clocksync/probe clocksync/record clocksync/solve
plugin/chain          plugin/record dumper/options
plugin/abi            plugin/record plugin/process plugin/chain
reader                dumper/segment dumper/run clocksync/record
analysis/tables
analysis/join         analysis/tables dumper/segment dumper/run clocksync/record clocksync/solve
analysis/relate       analysis/tables analysis/join clocksync/record
analysis/waits        analysis/tables
analysis/chance
analysis/follow       analysis/tables
analysis/whatif       analysis/tables analysis/chance analysis/follow
analysis/transfers    analysis/tables analysis/follow
analysis/paths        analysis/tables analysis/chance analysis/follow analysis/whatif analysis/transfers
analysis/account      analysis/tables analysis/follow analysis/whatif
analysis/judge        analysis/tables analysis/join analysis/relate analysis/waits analysis/follow analysis/whatif analysis/transfers analysis/paths analysis/account
analysis/say          analysis/tables analysis/judge analysis/paths
analysis/load         analysis/tables analysis/join analysis/relate dumper/run
analysis/clock        analysis/tables analysis/relate analysis/load clocksync/record clocksync/solve dumper/run
analysis/logs         analysis/tables
analysis/hostload     analysis/tables analysis/relate dumper/run hostload/record
analysis/why          analysis/tables analysis/judge analysis/follow analysis/paths analysis/hostload clocksync/record
analysis/pyramid      analysis/tables analysis/load dumper/run
analysis/sql          analysis/tables analysis/load analysis/join analysis/hostload
analysis/export       analysis/tables analysis/load analysis/join analysis/sql dumper/feeds
analysis/page         analysis/tables analysis/load analysis/pyramid
analysis/report       analysis/tables analysis/judge analysis/say analysis/account analysis/pyramid analysis/page
analysis/inspect      analysis/tables analysis/relate analysis/hostload analysis/judge analysis/say clocksync/record dumper/segment dumper/run dumper/options
live/local            dumper/run dumper/recovery
live/questions        live/local live/native live/places dumper/run dumper/recovery
live/asker            live/local live/questions dumper/recovery live/wire live/registry clocksync/wire clocksync/rendezvous dumper/run
live/stacks
live/native           live/stacks
live/places           live/stacks live/native
live/wire             live/questions clocksync/wire
live/registry         clocksync/wire dumper/run
live/agent            live/wire live/questions live/registry live/local dumper/run live/asker
live/ras
live/http             analysis/page dumper/run
live/follow           analysis/tables analysis/load analysis/pyramid analysis/judge analysis/account analysis/hostload analysis/logs analysis/why analysis/report analysis/export dumper/run live/http live/asker live/places
live/serve            analysis/tables analysis/load analysis/logs analysis/pyramid analysis/page analysis/judge analysis/report analysis/sql analysis/export dumper/run live/http live/follow
cli                   analysis/* live/* clocksync/record dumper/options dumper/run dumper/recovery clocksync/wire clocksync/rendezvous
'

# offending TITLE: reads file:line:text; anything at all is an offence.
offending() {
  local lines
  lines=$(cat)
  [ -z "$lines" ] || printf '%s:\n%s\n' "$1" "$lines"
}

ALL=()
for folder in include base plugin dumper clocksync hostload reader analysis live cli test bench; do [ -d "$folder" ] && ALL+=("$folder"); done

includes() {  # includes PATTERN FOLDER...: the include lines that match, in sources of those folders
  local pattern=$1
  shift
  [ $# = 0 ] || grep -rnE --include='*.h' --include='*.cc' "^ *# *include +$pattern" "$@"
}

# The offences against ROOMS: a file's room is its folder, or the longest part of it that has a line in the table.
rooms() {
  includes '"' "${ALL[@]}" | grep -vE '^(test|bench)/' | awk -v table="$ROOMS" '
    BEGIN {
      for (n = split(table, lines, "\n"); n; --n) {
        count = split(lines[n], words, " ")
        if (count) known[words[1]] = 1
        for (i = 2; i <= count; ++i) may[words[1], words[i]] = 1
      }
    }
    function room_of(path) {
      while (sub(/\/[^\/]*$/, "", path)) if (path in known) return path
      return path
    }
    {
      split($0, parts, ":"); split($0, quoted, "\"")
      from = room_of(parts[1]); header = quoted[2]
      if (header ~ /^lockstep\// || header !~ /\//) next
      to = room_of(header); above = to; sub(/\/.*/, "/*", above)
      if (to == from || to == "base" && from != "include" || (from, to) in may || (from, above) in may) next
      print
    }'
}

# Modules that include each other in a circle: tsort names the members of each circle it meets.
circles() {
  includes '"' "${ALL[@]}" | sed -nE 's/^([^:]*)\.(h|cc):[0-9]+: *# *include +"([^"]*)\.h".*/\1 \3/p' |
    sed 's# lockstep/# include/lockstep/#' | awk '$1 != $2' | sort -u | tsort 2>&1 >/dev/null | sed 's/^tsort: -*:* *//'
}

# third_party HEADER WHERE: only files whose path matches WHERE may include it
third_party() {
  includes "[<\"]$1" "${ALL[@]}" | grep -vE "^($2)" | offending "<$1> belongs in $2 only"
}

offences() {
  rooms | offending "not what that room may know (the table in scripts/check_layers.sh)"
  circles | offending "these modules include each other"

  third_party '(concurrentqueue/)?(moodycamel/)?(blocking)?concurrentqueue' 'plugin/record/block_queue\.h:|bench/|test/'
  third_party 'CLI/' 'base/command_line\.cc:'
  third_party 'sodium' 'clocksync/|live/wire/|live/http/tokens\.cc:|test/'
  third_party 'protozero/' 'analysis/.*perfetto|test/'
  third_party 'duckdb' 'analysis/sql/|test/'
  third_party 'sqlite3' 'analysis/export/sqlite_file\.cc:'
  third_party 'zlib' 'analysis/export/export_file\.cc:|analysis/page/packed\.cc:'
  third_party 'httplib' 'live/http/module/connection\.h:'
  third_party 'openssl/' 'live/http/module/'
  third_party 'gtest/' 'test/'
  third_party 'rapidjson/' 'base/json\.h:|test/'
  # base/json.h brings all of RapidJSON with it.
  includes '"base/json\.h"' "${ALL[@]}" | grep -E '^[^:]*\.h:' | offending "base/json.h belongs in .cc files only"

  # The command-line daemon runs in its own process; everything else in these folders runs in NCCL's.
  includes '<(iostream|sstream|fstream|locale|filesystem|regex|iomanip)>' "${ALL[@]}" |
    grep -E '^(include|base|plugin|dumper|clocksync|reader)/' | grep -v '^clocksync/daemon/' |
    offending "not in code that runs inside somebody else's process"
  grep -rnE --include='*.h' '^ *using namespace ' "${ALL[@]}" 2>/dev/null | offending "no using namespace in headers"
}

found=$(offences)
[ -z "$found" ] && exit 0
echo "$found"
exit 1
