#!/usr/bin/env bash
# Checks who includes whom: the layers of ARCHITECTURE.md, the one place each third-party header may stand, and the
# standard headers that must not enter somebody else's process. Prints each offending line; exit 1 when there is one.
set -u
cd "$(dirname "$0")/.." || exit 1

# offending TITLE: reads file:line:text; anything at all is an offence.
offending() {
  local lines
  lines=$(cat)
  [ -z "$lines" ] || printf '%s:\n%s\n' "$1" "$lines"
}

includes() {  # includes PATTERN FOLDER...: the include lines that match, in sources of those folders
  local pattern=$1 folder present=()
  shift
  for folder in "$@"; do [ -d "$folder" ] && present+=("$folder"); done
  [ ${#present[@]} = 0 ] && return
  grep -rnE --include='*.h' --include='*.cc' "^ *# *include +$pattern" "${present[@]}"
}

OURS='"(plugin|dumper|clocksync|analysis|cli|test|bench)/'
layer() {  # layer FOLDER ALLOWED...: what FOLDER may include besides include/ and itself
  local folder=$1
  shift
  local allowed
  allowed=$(IFS='|'; echo "$folder${*:+|$*}")
  includes "$OURS" "$folder" | grep -vE "include +\"($allowed)/" | offending "$folder/ may only include include/ $*"
}
ALL=(include plugin dumper clocksync analysis cli test bench)
# third_party HEADER WHERE WHY: only files whose path matches WHERE may include it
third_party() {
  includes "[<\"]$1" "${ALL[@]}" | grep -vE "^($2)" | offending "<$1> belongs in $2 only"
}

offences() {
  layer include
  layer dumper
  layer clocksync
  layer plugin dumper clocksync
  layer analysis dumper clocksync
  layer cli analysis

  third_party '(concurrentqueue/)?(moodycamel/)?(blocking)?concurrentqueue' 'plugin/block_queue\.h:|bench/|test/'
  third_party 'CLI/' 'cli/|test/drivers/|clocksync/daemon/|bench/'
  third_party 'sodium' 'clocksync/|test/'
  third_party 'protozero/' 'analysis/.*perfetto|test/'
  third_party 'duckdb' 'analysis/sql|test/'
  third_party 'gtest/' 'test/'
  # A folder's own json_*.h may share a helper between its .cc files.
  includes '<rapidjson/' "${ALL[@]}" | grep -E '^[^:]*\.h:' | grep -vE '/json_[a-z_]*\.h:' |
    offending "RapidJSON belongs in .cc files only"

  # The command-line daemon runs in its own process; everything else in these folders runs in NCCL's.
  includes '<(iostream|sstream|fstream|locale|filesystem|regex|iomanip)>' include plugin dumper clocksync |
    grep -v '^clocksync/daemon/' | offending "not in code that runs inside somebody else's process"
  grep -rnE --include='*.h' '^ *using namespace ' "${ALL[@]}" 2>/dev/null | offending "no using namespace in headers"
}

found=$(offences)
[ -z "$found" ] && exit 0
echo "$found"
exit 1
