#!/usr/bin/env bash
# The commands of docs/reading.md do what the page says, with nothing but what `make install` has put under a prefix.
. "$(dirname "$0")/../lib.sh"
need gcc gcc
need pkg-config pkg-config
need python3 python3
cd "$ROOT"
make install PREFIX="$TMP/prefix" BUILD="$BUILD" >"$TMP/log" 2>&1 || { cat "$TMP/log"; fail "make install"; }
want_equal "headers" "lockstep/mark.h lockstep/read.h" "$(cd "$TMP/prefix/include" && find . -type f | sed 's|^\./||' | sort | xargs)"

mkdir "$TMP/checkout"
cd "$TMP/checkout"
ln -s "$TMP/prefix/share/doc/lockstep/docs" docs
LOCKSTEP_DIR=my-run "$BUILD/lockstep-storm" "$BUILD/libnccl-profiler.so" --operations 100 >/dev/null
export PKG_CONFIG_PATH=$TMP/prefix/lib/pkgconfig LD_LIBRARY_PATH=$TMP/prefix/lib
want_equal "version in lockstep.pc" "$("$BUILD/lockstep" --version | awk '{print $2}')" "$(pkg-config --modversion lockstep)"

lines=$(sed -n '/^```sh$/,/^```$/{/^```/d;p}' docs/reading.md)
want_equal "commands of docs/reading.md" 3 "$(wc -l <<<"$lines")"
while read -r line; do
  bash -c "$line" >log 2>&1 </dev/null || { cat log; fail "$line"; }
done <<<"$lines"
want_equal "records that Python read" "$("$BUILD/lockstep" cat my-run | wc -l)" "$(python3 docs/examples/read_run.py my-run | wc -l)"

# shellcheck disable=SC2046 # several words are meant
gcc docs/examples/read_run.c $(pkg-config --cflags lockstep) "$TMP/prefix/lib/liblockstep.a" \
  $(pkg-config --static --libs-only-l lockstep | sed 's/-llockstep//') -o static
env -u LD_LIBRARY_PATH ./static my-run >"$TMP/static" || fail "a program with the archive does not run"
./read_run my-run | cmp - "$TMP/static" || fail "the archive reads something else than the shared library"
