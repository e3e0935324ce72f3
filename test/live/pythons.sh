# Sourced: the Pythons that this machine has and lockstep reads, one path a line, each version once.
# shellcheck shell=bash
pythons() {
  local python
  for python in python3 python3.{9,10,11,12,13,14} /usr/bin/python3 "${PYENV_ROOT:-${HOME:-/root}/.pyenv}"/versions/3.*/bin/python3; do
    "$python" -c 'import os, sys
if (3, 9) <= sys.version_info < (3, 15) and sys.implementation.name == "cpython":
    print(sys.version.split()[0], os.path.realpath(sys.executable))' 2>/dev/null || true
  done | sort -u -k2 | sort -u -k1,1 -V | cut -d' ' -f2
}
