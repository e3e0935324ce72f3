#!/usr/bin/env bash
# `make install` puts a plugin that loads and a command that runs where it is told, under both names NCCL looks for.
. "$(dirname "$0")/../lib.sh"
[ -e "$BUILD/libnccl-profiler.so" ] || skip "the plugin is not built"
cd "$ROOT"
make install PREFIX=/opt/lockstep DESTDIR="$TMP/root" BUILD="$BUILD" >"$TMP/log" 2>&1 || { cat "$TMP/log"; fail "make install"; }
prefix=$TMP/root/opt/lockstep
for name in libnccl-profiler.so libnccl-profiler-lockstep.so; do
  "$BUILD/lockstep-load" "$prefix/lib/$name" >"$TMP/log" || { cat "$TMP/log"; fail "$name does not load"; }
done
"$prefix/bin/lockstep" --version | grep -q '^lockstep [0-9]' || fail "the command does not run"
