#!/usr/bin/env bash
# The readers of docs/examples, one in C and one in Python, read with liblockstep what `lockstep cat` prints: every
# field of every kind, with the same sentences and exit codes where nothing can be read.
. "$(dirname "$0")/../lib.sh"
need gcc gcc
need python3 python3
lockstep=$BUILD/lockstep
[ -e "$BUILD/liblockstep.so" ] || skip "the library is not built (make reader)"
export LD_LIBRARY_PATH=$BUILD${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# The header is C, and C++ too; the example is linked with either library.
strict=(-pedantic -Wall -Wextra -Werror "-I$ROOT/include")
example=$ROOT/docs/examples/read_run.c
echo '#include "lockstep/read.h"' >"$TMP/header.cc"
"${CXX:-g++}" -std=c++11 "${strict[@]}" -fsyntax-only "$TMP/header.cc"
gcc -std=c99 "${strict[@]}" "$example" -o "$TMP/read_run" -L"$BUILD" -llockstep
gcc -std=c99 "${strict[@]}" "$example" -o "$TMP/read_run_static" "$BUILD/liblockstep.a" -lzstd -lstdc++ -lm -pthread

LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=all LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" \
  --table v7 --iterations 5 --ce --net-events --sendrecv >/dev/null
"$lockstep" cat "$TMP/run" >"$TMP/cat"

python3 "$ROOT/docs/examples/read_run.py" "$TMP/run" >"$TMP/python"
python3 - "$TMP/cat" "$TMP/python" <<'END' || fail "read_run.py reads something else than lockstep cat"
import json, sys
printed, read = ([json.loads(line) for line in open(name)] for name in sys.argv[1:])
assert len(printed) == len(read) > 1000, (len(printed), len(read))
names = {"real_ns", "host", "pid", "thread", "comm", "rank", "state"}  # of cat's line; the others are fields
for theirs, ours in zip(printed, read):
    assert {name for name in theirs if name not in ours} <= names, (theirs, ours)
    assert all(theirs.get(name) == value for name, value in ours.items()), (theirs, ours)
assert len({line["kind"] for line in read}) == 16, "not every kind was recorded"
END

collectives() {  # what read_run prints, made from the lines of cat
  python3 -c 'import json, sys
for line in map(json.loads, sys.stdin):
    if line["call"] == "start": print(line["raw_ns"], line["host"], line["rank"], line["func"], line["count"])'
}
"$lockstep" cat "$TMP/run" --kind Coll | collectives >"$TMP/expected"
[ -s "$TMP/expected" ] || fail "no collective was recorded, so this shows nothing"
for program in read_run read_run_static; do
  "$TMP/$program" "$TMP/run" >"$TMP/found"
  cmp "$TMP/expected" "$TMP/found" || fail "$program reads something else than lockstep cat: $(diff "$TMP/expected" "$TMP/found" | head -4)"
done

# What cannot be read: the sentences and exit codes of the commands.
for folder in "$TMP/none" "$TMP"; do
  status=0
  "$TMP/read_run" "$folder" >"$TMP/out" 2>"$TMP/err" || status=$?
  "$lockstep" cat "$folder" 2>"$TMP/theirs" || want_equal "exit code of $folder" $? $status
  sed -i 's/^lockstep: //' "$TMP/theirs"
  cmp "$TMP/err" "$TMP/theirs" || fail "two sentences about $folder: $(cat "$TMP/err" "$TMP/theirs")"
done
file=$(find "$TMP/run" -name '*.lks' | sort | head -1)
flip_byte "$file"
status=0
"$TMP/read_run" "$TMP/run" 2>"$TMP/err" >/dev/null || status=$?
want_equal "exit code of a damaged run" 1 $status
grep -q "^$file: [0-9]* bytes at offset [0-9]*: " "$TMP/err" || fail "the damage is not named: $(cat "$TMP/err")"
