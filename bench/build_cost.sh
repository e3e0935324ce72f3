#!/usr/bin/env bash
# What building costs, without ccache, in a clone of the last commit: the build part of `make demo`, the rest of `make`, and
# `lockstep` again after a line of one source changed. `of a processor` is user and system time, which other work on the
# machine changes less than the time that passes.
. "$(dirname "$0")/../test/lib.sh"
git clone -q "$ROOT" "$TMP/clone"
cd "$TMP/clone"
[ ! -d "$ROOT/node_modules" ] || ln -s "$ROOT/node_modules" node_modules
unset BUILD

built() {  # built NAME TARGET...: how long make takes
  local name=$1
  shift
  python3 - "$name" make CCACHE= -j2 "$@" <<'PY'
import resource, subprocess, sys, time
began = time.monotonic()
subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"  {sys.argv[1]:44} {time.monotonic() - began:6.0f} s, {used.ru_utime + used.ru_stime:6.0f} s of a processor")
PY
}
built "make demo's programs" demo-programs
built "the rest of make all" all
sed -i '1i // A line more.' analysis/judge/blame.cc
built "lockstep after a change of one source" build/lockstep
