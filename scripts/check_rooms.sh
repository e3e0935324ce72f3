#!/usr/bin/env bash
# Checks the shape of the house: how long files and modules are, how full folders are, that a source is found by its
# header's name, and a unit test by the name of what it tests. A module is a header with the source of its name; a
# command (cli/commands), an export format, a program's main and a table's adapter need no header. Prints the figures; exit 1 when one is
# out of its bounds. check_layers.sh finds modules that include each other.
set -u
cd "$(dirname "$0")/.." || exit 1
ROOMS=(include base plugin dumper clocksync hostload reader analysis live cli)
wrong=0
complain() { echo "check_rooms: $*" && wrong=1; }

sources() { find "${ROOMS[@]}" -name '*.h' -o -name '*.cc' | sort; }
quantile() { sort -n | awk -v q="$1" '{v[NR] = $1} END {i = int(q * NR + 0.999999); print v[i < 1 ? 1 : i]}'; }
lines() { xargs wc -l | awk '$2 != "total" {print $1, $2}'; }  # of each file: its lines, its name

within() {  # within WHAT FIGURE LEAST MOST
  printf '%-42s %5d  (%d to %d)\n' "$1" "$2" "$3" "$4"
  { [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; } || complain "$1 is $2; it should lie between $3 and $4"
}

modules=$(sources | lines | sed -E 's/\.(h|cc)$//' | awk '{n[$2] += $1} END {for (m in n) print n[m], m}')
within "lines of a module, median" "$(quantile 0.5 <<<"$modules")" 100 180
within "lines of a source (.cc), median" "$(sources | grep '\.cc$' | lines | quantile 0.5)" 100 200
within "lines of a file, 9 of 10" "$(sources | lines | quantile 0.9)" 0 349
within "lines of the longest file" "$(sources | lines | quantile 1)" 0 500
within "files in the fullest folder" "$(sources | sed 's#/[^/]*$##' | sort | uniq -c | quantile 1)" 0 40

for source in $(sources | grep '\.cc$'); do
  header=${source%.cc}.h
  case $source in
    cli/commands/* | */main.cc | clocksync/daemon/* | plugin/abi/* | plugin/process/old_glibc.cc) ;;
    reader/read.cc) ;;             # its header is the public one, include/lockstep/read.h
    plugin/marks/c_interface.cc | plugin/marks/nvtx.cc) ;;  # what others call: lockstep/mark.h, and NVTX's own headers
    analysis/export/export_*) ;;  # one function a format, all of them in export.h
    *) [ -f "$header" ] || complain "$source has no header of its name" ;;
  esac
done

# A unit test lies in the room of what it tests and begins with its name.
for test in test/unit/*/*/*_test.cc test/unit/base/*_test.cc test/unit/reader/*_test.cc; do
  [ -f "$test" ] || continue
  room=$(dirname "${test#test/unit/}") name=$(basename "$test" _test.cc)
  while [ -n "$name" ] && ! compgen -G "$room/$name*" >/dev/null; do
    case $name in *_*) name=${name%_*} ;; *) name= ;; esac
  done
  [ -n "$name" ] || complain "$test is named after nothing in $room/"
done
exit $wrong
