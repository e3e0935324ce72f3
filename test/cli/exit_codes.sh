#!/usr/bin/env bash
# Every command that reads a run: 3 and nothing written when nothing can be read, 1 when part of it is damaged.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
exit_code() { "$@" >"$TMP/out" 2>"$TMP/err" && echo 0 || echo $?; }
LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-emulate" --ranks 2 --iterations 20 \
  "$BUILD/libnccl-profiler.so" >/dev/null

# each DIR: every reading command on it, one a line, as the arguments of lockstep.
each() {
  printf '%s\n' "count $1" "info $1" "cat $1" "verify $1" "align $1" "clock $1" "diagnose $1" \
    "report $1 -o $1.report --force" "export $1 --to csv -o $1.csv --force"
  if "$lockstep" query "$TMP/run" "SELECT 1" >/dev/null 2>&1; then echo "query $1 SELECT(1)"; fi
}

# all WHAT CODE DIR: every command ends with CODE, and what it says on the way names a file.
all() {
  while read -ra words; do
    want_equal "exit code of ${words[0]}, $1" "$2" "$(exit_code "$lockstep" "${words[@]}")"
    [ "$2" = 0 ] || grep -qs '\.lks' "$TMP/out" "$TMP/err" || fail "${words[0]}, $1: names no file: $(cat "$TMP/out" "$TMP/err")"
  done < <(each "$3")
}

# DIR with a copy of the run, to be damaged.
copy() { cp -r "$TMP/run" "$TMP/$1"; find "$TMP/$1" -name '*.lks' | sort | head -1; }

while read -ra words; do
  case ${words[0]} in align | clock | diagnose) continue ;; esac # they may find something in a sound run
  want_equal "exit code of ${words[0]}, a whole run" 0 "$(exit_code "$lockstep" "${words[@]}")"
done < <(each "$TMP/run")

mkdir "$TMP/junk"
printf 'junk\n' >"$TMP/junk/host.1.0.lks"
all "5 bytes of junk" 3 "$TMP/junk"
want_equal "what was written for junk" "host.1.0.lks" "$(cd "$TMP" && ls junk; ls -d junk.* 2>/dev/null)"

mkdir "$TMP/foreign"
head -c 5000 /dev/zero >"$TMP/foreign/host.1.0.lks"
all "5000 bytes of zeros" 3 "$TMP/foreign"

file=$(copy flipped)
flip_byte "$file"
all "a flipped byte" 1 "$TMP/flipped"

file=$(copy torn)
truncate -s -100 "$file"
all "a torn file" 1 "$TMP/torn"
want_equal "a torn file in count" 1 "$("$lockstep" count "$TMP/torn" --json 2>/dev/null | jq .torn_tails)"
{ "$lockstep" count "$TMP/torn" 2>/dev/null || true; } | grep -q " 0 damaged chunks, 1 torn tail, " || fail "count does not name the torn tail"

copy beside >/dev/null
printf 'junk\n' >"$TMP/beside/other.1.0.lks"
all "junk beside a run" 1 "$TMP/beside"
want_equal "junk in count" "[2,1]" "$("$lockstep" count "$TMP/beside" --json 2>/dev/null | jq -c '[.processes, .unreadable_files]')"
want_equal "processes of info" 2 "$("$lockstep" info "$TMP/beside" --json 2>/dev/null | jq '.processes | length')"

