#!/usr/bin/env bash
# `lockstep --version` says the version and the commit it was built from; what was built outside git says no commit.
. "$(dirname "$0")/../lib.sh"
said=$("$BUILD/lockstep" --version)
if [ -e "$ROOT/.git" ] && git -C "$ROOT" rev-parse HEAD >/dev/null 2>&1; then
  [[ $said =~ ^lockstep\ [0-9.]+\ \(commit\ ([0-9a-f]{12})(-dirty)?\)$ ]] || fail "it says '$said'"
  git -C "$ROOT" cat-file -e "${BASH_REMATCH[1]}^{commit}" || fail "there is no commit ${BASH_REMATCH[1]} here"
else
  [[ $said =~ ^lockstep\ [0-9.]+$ ]] || fail "it says '$said'"
fi

cd "$ROOT"
make -s COMMIT= BUILD="$TMP/build" "$TMP/build/obj/cli/show/version.o" >"$TMP/log" 2>&1 || { cat "$TMP/log"; fail "version.cc"; }
if grep -qa ' (commit [0-9a-f]' "$TMP/build/obj/cli/show/version.o"; then fail "a build outside git names a commit"; fi
if [[ $said == *commit* ]]; then
  make -s COMMIT=0123456789ab BUILD="$TMP/build" "$TMP/build/obj/cli/show/version.o" >"$TMP/log" 2>&1
  grep -qa 0123456789ab "$TMP/build/obj/cli/show/version.o" || fail "another commit does not rebuild version.cc"
fi
