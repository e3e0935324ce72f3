#!/usr/bin/env bash
# A Python whose structures lockstep does not know: `lockstep stacks` says so, and has its frames by py-spy where that is
# in PATH. The process is real; py-spy is a stand-in that knows what the process runs.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/live/libdw.sh"
need jq jq
lockstep=$BUILD/lockstep
python=
for candidate in python3.{8,7,6} "${PYENV_ROOT:-${HOME:-/root}/.pyenv}"/versions/3.[678].*/bin/python3; do
  version=$("$candidate" -c 'import sys; print(sys.version_info < (3, 9))' 2>/dev/null || true)
  [ "$version" != True ] || python=$candidate
done
[ -n "$python" ] || skip "no Python older than 3.9"

cat >"$TMP/train.py" <<'P'
import ctypes, os
def waits_in_c():
    ctypes.CDLL(None).pause()
def train():
    open("stands", "w").close()
    waits_in_c()
train()
P
(cd "$TMP" && exec "$python" train.py) &
process=$!
trap 'kill -KILL $process 2>/dev/null || true; rm -rf "$TMP"' EXIT
for _ in $(seq 1200); do [ -e "$TMP/stands" ] && grep -q '^State:.S' /proc/$process/status && break; sleep 0.05; done
mkdir "$TMP/bin"

stacks() { PATH=$TMP/bin:/usr/bin:/bin "$lockstep" stacks $process --samples 1 --timeout 60 --json >"$TMP/json"; }
stacks || fail "the process was not read: $(cat "$TMP/json")"
jq -r '.stacks[0].python_unread' "$TMP/json" >"$TMP/why"
grep -q "process $process runs CPython 3.* whose frames lockstep cannot read: it is older than 3.9.*; py-spy.*: it is not in PATH" \
  "$TMP/why" || fail "it does not say why there are no Python frames: $(cat "$TMP/why")"

cat >"$TMP/bin/py-spy" <<P
#!/bin/sh
[ "\$*" = "dump --nonblocking --json --pid $process" ] || exit 9
cat <<'J'
[{"pid": $process, "thread_id": 1, "thread_name": "MainThread", "os_thread_id": $process, "active": false, "owns_gil": false,
  "frames": [{"name": "waits_in_c", "filename": "train.py", "line": 3, "is_entry": true, "is_shim_entry": false},
             {"name": "train", "filename": "train.py", "line": 6, "is_entry": true, "is_shim_entry": false},
             {"name": "<module>", "filename": "train.py", "line": 7, "is_entry": true, "is_shim_entry": false}]}]
J
P
chmod +x "$TMP/bin/py-spy"
stacks || fail "the process was not read with py-spy: $(cat "$TMP/json")"
want_equal "the sentence, with py-spy" null "$(jq '.stacks[0].python_unread' "$TMP/json")"
want_equal "the Python frames" "<module> train waits_in_c" \
  "$(jq -r '[.stacks[0].threads[0].frames[] | select(.module == "python") | .function] | join(" ")' "$TMP/json")"
jq -e '.stacks[0].threads[0].frames | map(.function // "") |
  (index("<module>") > 0) and (index("waits_in_c") < index("pause")) and (index("_PyEval_EvalFrameDefault") == null)' \
  "$TMP/json" >/dev/null || fail "native and Python frames are not in order: $(jq -c '.stacks[0].threads[0].frames' "$TMP/json")"
