#!/usr/bin/env bash
# The plugin exports the seven tables and nothing else, liblockstep the functions of its header; neither asks anything of
# the process that loads it; and the checks find a library that does otherwise.
. "$(dirname "$0")/../lib.sh"
need nm binutils
plugin=$BUILD/libnccl-profiler.so

printf 'int ncclProfiler_v1, other;\n' >"$TMP/bad.c"
"${CC:-gcc}" -shared -fPIC -o "$TMP/bad.so" "$TMP/bad.c" -Wl,-z,execstack -Wl,-z,lazy -Wl,-z,norelro
if "$ROOT/scripts/check_symbols.sh" "$TMP/bad.so" >"$TMP/found"; then fail "a bad library passed check_symbols.sh"; fi
for finding in 'exports differ' 'executable stack' 'GNU_RELRO' 'z now' 'nodelete'; do
  grep -q "$finding" "$TMP/found" || fail "check_symbols.sh did not find '$finding': $(cat "$TMP/found")"
done
cp "$TMP/bad.so" "$TMP/liblockstep.so.0"
if "$ROOT/scripts/check_symbols.sh" "$TMP/liblockstep.so.0" >"$TMP/found"; then fail "a bad library passed as liblockstep"; fi
for finding in 'exports differ from the functions of lockstep/read.h' '< lockstep_open' 'soname'; do
  grep -q "$finding" "$TMP/found" || fail "check_symbols.sh did not find '$finding': $(cat "$TMP/found")"
done
if "$ROOT/scripts/check_glibc.sh" "$(command -v nm)" 2.0 >"$TMP/found"; then fail "check_glibc.sh allowed what needs more"; fi

[ -e "$plugin" ] || skip "the plugin is not built"
"$ROOT/scripts/check_symbols.sh" "$plugin" || fail "the plugin's symbols are not as they must be (see above)"
"$ROOT/scripts/check_glibc.sh" "$plugin"
"$ROOT/scripts/check_symbols.sh" "$BUILD/liblockstep.so.0" || fail "liblockstep's symbols are not as they must be (see above)"
"$ROOT/scripts/check_glibc.sh" "$BUILD/liblockstep.so.0"
