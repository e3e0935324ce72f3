# Sourced after lib.sh by tests that want names in stacks: skips where there is no libdw.
# shellcheck shell=bash
compgen -G "/usr/lib/*/libdw.so.1" >/dev/null || compgen -G "/usr/lib64/libdw.so.1" >/dev/null ||
  skip "libdw.so.1 is not installed (package libdw1)"
