#!/usr/bin/env bash
# Recordings read from Python: the lines of docs/python.md one after the other, as in a notebook, and every answer
# beside the command's own. With every Python from 3.9 to 3.13 that this machine has, and with pandas where one has it.
# timeout: 300
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/export/record.sh"
need python3 python3
record straggler "$TMP/run"
export PATH=$BUILD:$PATH PYTHONPATH=$ROOT/python:$ROOT/test/python PYTHONDONTWRITEBYTECODE=1
cd "$TMP"

pythons=()
for python in /usr/bin/python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.{9,10,11,12,13}.*/bin/python; do
  [ -x "$python" ] && pythons+=("$python")
done
need_duckdb "$TMP/run"
for python in "${pythons[@]}"; do
  "$python" "$ROOT/test/python/reads_test.py" "$TMP/run" || fail "$python"
  mkdir -p runs
  ln -sfn "$TMP/run" runs/1
  "$python" "$ROOT/test/python/notebook.py" "$ROOT/docs/python.md" >"$TMP/cells" || { cat "$TMP/cells"; fail "docs/python.md, $python"; }
  grep -q "^AllReduce" "$TMP/cells" || { cat "$TMP/cells"; fail "docs/python.md prints no operations, $python"; }
done
echo "${#pythons[@]} interpreters"
