#!/usr/bin/env bash
# The wheel, installed without an index into a clean environment: its tag tells the truth, the plugin and the command
# inside work, the lines of docs/python.md run, and every mark of a program is in its recording.
# timeout: 300
. "$(dirname "$0")/../lib.sh"
need readelf binutils
need jq jq
python=/usr/bin/python3
[ -x $python ] || skip "the system has no Python (package python3)"
$python -c 'import venv, ensurepip' 2>/dev/null || skip "the system's Python makes no environments (package python3-venv)"
cd "$ROOT"
make --no-print-directory BUILD="$BUILD" wheel >"$TMP/log" 2>&1 || { cat "$TMP/log"; fail "make wheel failed"; }
wheel=$(tail -1 "$TMP/log")
version=$(sed -n 's/.*kVersion = "\(.*\)".*/\1/p' include/lockstep/version.h)
want_equal "the package's version" "$version" "$(sed -n 's/__version__ = "\(.*\)"/\1/p' python/lockstep/_version.py)"

newest=$(for file in "$BUILD/libnccl-profiler.so" "$BUILD/wheel/lockstep" $([ ! -e "$BUILD/liblockstep-http.so" ] || echo "$BUILD/liblockstep-http.so"); do scripts/check_glibc.sh "$file"; done |
  sed 's/.*GLIBC_//' | sort -V | tail -1)
want_equal "the tag" "lockstep_nccl-$version-py3-none-manylinux_${newest/./_}_$(uname -m).whl" "$(basename "$wheel")"
cp "$wheel" "$TMP/first.whl"
make --no-print-directory BUILD="$BUILD" wheel >/dev/null
cmp "$wheel" "$TMP/first.whl" || fail "the same files give another wheel"

echo "its sources are Python 3.9"
$python -c 'import ast, sys
for path in sys.argv[1:]: ast.parse(open(path, encoding="utf-8").read(), path, feature_version=(3, 9))' python/lockstep/*.py ||
  fail "not the syntax of Python 3.9"

unset PYTHONPATH
$python -m venv "$TMP/venv"
here=$TMP/venv/bin
"$here/pip" install -q --no-index --disable-pip-version-check "$wheel" || fail "pip does not install the wheel"
cd "$TMP"
want_equal "the command" "$("$BUILD/lockstep" --version | cut -d' ' -f1-2)" "$("$here/lockstep" --version | cut -d' ' -f1-2)"
want_equal "its exit code" 2 "$("$here/lockstep" frobnicate >/dev/null 2>&1; echo $?)"
plugin=$("$here/python" -c 'import lockstep; print(lockstep.plugin_path())')
want_equal "the plugin" "$(cd "$here/.." && pwd -P)" "$(cd "$(dirname "$plugin")/../../../../.." && pwd -P)"
want_equal "outside a job" "False False" "$("$here/python" -c 'import lockstep
print(lockstep.step(1).recorded, lockstep.text("nobody reads this"))')"

# Marks: the program's own truth beside what the recording has.
PYTHONPATH=$ROOT/test/python NCCL_PROFILER_PLUGIN=$plugin LOCKSTEP_DIR=$TMP/marks LOCKSTEP_HOST_LOAD=0 \
  "$here/python" "$ROOT/test/python/marks_test.py" || fail "a program with marks"
"$here/lockstep" verify marks >"$TMP/out" || { cat "$TMP/out"; fail "the recording of marks is not complete"; }
"$here/lockstep" cat marks >"$TMP/records"
marks() { jq -rs "[.[] | select(.call == \"$1\")] | $2" "$TMP/records"; }
want_equal "steps begun" "1 2 3 10 11 12 4" "$(marks step_begin 'map(.step) | join(" ")')"
want_equal "steps ended" "1 2 3 10 11 12" "$(marks step_end 'map(.step) | join(" ")')"
want_equal "ranges" "8000 3 1" "$(marks range_push '"\(map(select(.text == "of a thread")) | length) \(map(select(.text == "forward")) | length) \(map(select(.text == "fails")) | length)"')"
want_equal "ranges that ended" 8004 "$(marks range_pop length)"
want_equal "texts" "günstig" "$(marks text 'map(.text) | join(" ")')"
want_equal "captures" "after warm-up after warm-up" \
  "$(marks capture_start 'map(.name) | join(" ")') $(marks capture_stop 'map(.name) | join(" ")')"

if [ -e "$BUILD/liblockstep-http.so" ]; then
  echo "the server inside serves, and where it cannot, it says what to do"
  need curl curl
  "$here/lockstep" serve marks >"$TMP/banner" 2>"$TMP/err" &
  server=$!
  trap 'kill "$server" 2>/dev/null || true; rm -rf "$TMP"' EXIT
  until [ -s "$TMP/banner" ]; do kill -0 "$server" || fail "no server: $(cat "$TMP/err")"; sleep 0.1; done
  url=$(head -1 "$TMP/banner" | awk '{ print $NF }')
  want_equal "the run served" marks "$(curl -sS -H "Authorization: Bearer ${url##*=}" "${url%%/#*}/api/run" | jq -r .serve.run)"
  kill "$server"
  wait "$server" || fail "the server ended with $?"
  library=$(dirname "$plugin")/liblockstep-http.so
  says() {  # says WORDS: it ends with 3, and these words
    local rc=0
    "$here/lockstep" serve marks >/dev/null 2>"$TMP/err" || rc=$?
    want_equal "exit code without a server that can be loaded" 3 "$rc"
    grep -q "$1.*lockstep report. writes the page" "$TMP/err" || fail "not what to do: $(cat "$TMP/err")"
  }
  mv "$library" "$TMP/http.so"
  says "there is no liblockstep-http.so in .*: build lockstep where cpp-httplib and OpenSSL are installed"
  echo "no library" >"$library"
  says "cannot be loaded (.*): install the library that is missing here"
  mv "$TMP/http.so" "$library"
fi

echo "recordings are read in an environment without pandas, and in one that sees the system's"
. "$ROOT/test/export/record.sh"
record straggler "$TMP/run"
need_duckdb "$TMP/run"
# The installed command does not look into the source tree.
duckdb=$(find "$ROOT/node_modules/@duckdb" -name libduckdb.so -print -quit 2>/dev/null || true)
[ -z "$duckdb" ] || export LOCKSTEP_DUCKDB=$duckdb
reads() {  # reads ENVIRONMENT [--with-pandas]
  PATH=$1/bin:$PATH "$1/bin/python" "$ROOT/test/python/reads_test.py" "$TMP/run" "${@:2}" || fail "reading in $1"
}
"$here/python" -c 'import pandas' 2>/dev/null && fail "a clean environment has pandas"
reads "$TMP/venv"
$python -c 'import pandas' 2>/dev/null || skip "the system's Python has no pandas (package python3-pandas)"
$python -m venv --system-site-packages "$TMP/with"
"$TMP/with/bin/pip" install -q --no-index --disable-pip-version-check "$ROOT/$wheel" || fail "pip does not install the wheel"
reads "$TMP/with" --with-pandas
