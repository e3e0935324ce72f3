#!/usr/bin/env bash
# `lockstep serve --client-ca`: only who has a certificate that the authority signed gets as far as the token, which is
# asked for as well. The clients are curl's.
. "$(dirname "$0")/../lib.sh"
need curl curl
need jq jq
need openssl openssl
lockstep=$BUILD/lockstep
need_server
PID=
trap '[ -z "$PID" ] || kill -KILL "$PID" 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT
cd "$TMP"
authority() { openssl req -x509 -newkey rsa:2048 -nodes -subj "/CN=$1" -days 2 -keyout "$1.key" -out "$1.pem" 2>/dev/null; }
signed() {  # signed NAME AUTHORITY
  openssl req -newkey rsa:2048 -nodes -subj "/CN=$1" -keyout "$1.key" -out "$1.csr" 2>/dev/null
  openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -CAcreateserial -days 2 -out "$1.pem" 2>/dev/null
}
authority localhost
authority team
authority others
signed anna team
signed eve others
LOCKSTEP_HOST_LOAD=0 LOCKSTEP_CLOCK=0 LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-emulate" --ranks 2 --iterations 5 \
  "$BUILD/libnccl-profiler.so" >/dev/null
"$lockstep" serve "$TMP/run" --tls-cert localhost.pem --tls-key localhost.key --client-ca team.pem >banner 2>err &
PID=$!
for _ in $(seq 300); do [ -s banner ] && break; kill -0 "$PID" 2>/dev/null || break; sleep 0.1; done
url=$(head -1 banner | awk '{ print $NF }')
[[ $url == https://*#token=* ]] || fail "no URL in the banner: $(cat banner err)"
port=${url%%/#*} port=${port##*:}
ask() { curl -sS --max-time 30 --cacert localhost.pem -o answer -w '%{http_code}' "$@" "https://localhost:$port/api/run"; }
bearer="Authorization: Bearer ${url##*#token=}"

want_equal "with a certificate and the token" 200 "$(ask --cert anna.pem --key anna.key -H "$bearer")"
want_equal "ranks" 2 "$(jq '.serve.ranks | length' answer)"
want_equal "with a certificate alone" 401 "$(ask --cert anna.pem --key anna.key)"
ask -H "$bearer" && fail "it answered without a certificate"
ask --cert eve.pem --key eve.key -H "$bearer" && fail "it answered to another authority's certificate"
want_equal "again" 200 "$(ask --cert anna.pem --key anna.key -H "$bearer")"
kill "$PID" && wait "$PID" || fail "the server ended with $?"
PID=

code=0
"$lockstep" serve "$TMP/run" --client-ca team.pem >out 2>&1 || code=$?
want_equal "exit code without TLS" 2 "$code"
code=0
"$lockstep" serve "$TMP/run" --tls-cert localhost.pem --tls-key localhost.key --client-ca team.key >out 2>&1 || code=$?
want_equal "exit code of a key as an authority" 3 "$code"
grep -q "team.key: no certificates in PEM" out || fail "$(cat out)"
