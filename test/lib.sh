# Sourced by every test script: where things are, a scratch folder that goes away, and the three ways to end early.
# A script that runs to its end has passed. Options of the caller's shell must not reach the programs under test.
# shellcheck shell=bash
set -euo pipefail
for name in $(compgen -e LOCKSTEP_) $(compgen -e NCCL_); do unset "$name"; done
unset name

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${BUILD:-$ROOT/build}
case $BUILD in /*) ;; *) BUILD=$ROOT/$BUILD ;; esac
TMP=$(mktemp -d "${TMPDIR:-/tmp}/lockstep-test.XXXXXX")
export ROOT BUILD TMP
trap 'rm -rf "$TMP"' EXIT
# What `set -e` ends is said, also in functions: a log without a reason helps nobody.
ended() { case $BASH_SUBSHELL$- in 0*e*) echo "FAIL: line $2: $3: status $1" >&2 ;; esac; }
set -E
trap 'ended $? "$LINENO" "$BASH_COMMAND"' ERR

fail() { echo "FAIL: $*"; exit 1; }
skip() { echo "skip: $*"; exit 77; }
# need COMMAND PACKAGE: skips when the command is not there, naming the package that has it.
need() { command -v "$1" >/dev/null || skip "$1 is not installed (package $2)"; }
need_server() {
  [ -e "$BUILD/liblockstep-http.so" ] || skip "lockstep was built without its server (packages libcpp-httplib-dev, libssl-dev)"
}
# need_page [served]: skips without headless Chromium and Playwright, or where lockstep was built without its page, or server.
need_page() {
  need chromium chromium
  need node nodejs
  [ -e "$ROOT/node_modules/playwright-core" ] || skip "there is no playwright-core (scripts/install_deps.sh test)"
  [ -s "$BUILD/page/page.js" ] || skip "lockstep was built without its page (esbuild, npm)"
  [ "${1:-}" != served ] || need_server
}
# need_live_page: likewise of a job that runs here, without a sampler and probes. The user's cache stays as it is.
need_live_page() {
  need_page served
  need curl curl
  need jq jq
  export LOCKSTEP_HOST_LOAD=0 LOCKSTEP_CLOCK=0 XDG_CACHE_HOME=$TMP/cache
}
# need_duckdb RUN: skips when `lockstep query` finds no DuckDB to ask about this run.
need_duckdb() {
  "$BUILD/lockstep" query "$1" "SELECT 1" >/dev/null 2>"$TMP/err" && return
  grep -q "there is no DuckDB library" "$TMP/err" && skip "there is no DuckDB library (scripts/install_deps.sh test)"
  fail "$(cat "$TMP/err")"
}

# only_when_long WHY: skips unless LONG=1, which runs what takes minutes.
only_when_long() { [ -n "${LONG:-}" ] || skip "$1"; }
# want_equal WHAT EXPECTED ACTUAL
want_equal() { [ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"; }
# free_ports N: so many ports of this machine that nobody listens on now, with blanks between them
free_ports() {
  python3 -c 'import socket, sys
held = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in held: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in held])' "$1"
}

# start_agent_here RUN: an agent of a run on loopback, reached at $AGENT_ADDRESS with the key file $AGENT_KEY; $AGENT_PID is its process
# shellcheck disable=SC2034
start_agent_here() {
  AGENT_KEY=$TMP/agent.key
  head -c 32 /dev/urandom >"$AGENT_KEY"
  chmod 600 "$AGENT_KEY"
  "$BUILD/lockstep" agent "$1" --listen 127.0.0.1:0 --key "$AGENT_KEY" >"$TMP/agent" 2>&1 &
  AGENT_PID=$!
  for _ in $(seq 300); do
    AGENT_ADDRESS=$(sed -n 's/.* listens on //p' "$TMP/agent")
    [ -z "$AGENT_ADDRESS" ] || return 0
    sleep 0.1
  done
  fail "the agent does not listen: $(cat "$TMP/agent")"
}

flip_byte() {  # flip_byte FILE: all bits of the byte at three quarters of it
  python3 - "$1" <<'PY'
import os, sys
with open(sys.argv[1], "r+b", buffering=0) as file:
    at = os.path.getsize(sys.argv[1]) * 3 // 4
    byte = os.pread(file.fileno(), 1, at)[0]
    os.pwrite(file.fileno(), bytes([byte ^ 0xFF]), at)
PY
}
