#!/usr/bin/env bash
# timeout: 180
# `lockstep connect`: a real sshd on this machine stands for the other host. The page's server starts there, is found the
# second time, and is reached through a tunnel until --disconnect; what goes wrong on the way is said.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib.sh"
need curl curl
need jq jq
need_server
lockstep=$BUILD/lockstep
export XDG_CACHE_HOME=$TMP/cache
. "$(dirname "$0")/sshd.sh"
mkdir -m 700 "$TMP/cache"
"$BUILD/lockstep-generate" "$TMP/runs/it's my run" --ranks 2 --operations 10 >/dev/null

port=$(free_ports 1)
add_host far "$port"
add_host down 1
"$sshd" -D -e -f "$TMP/ssh/far" 2>"$TMP/sshd.log" &
daemon=$!
clean_up() {
  "$lockstep" connect far --disconnect >/dev/null 2>&1 || true
  "$lockstep" serve "$TMP/runs/it's my run" --stop >/dev/null 2>&1 || true
  "$lockstep" serve "$TMP/runs" --stop >/dev/null 2>&1 || true
  kill "$daemon" 2>/dev/null || true
  rm -rf "$TMP"
}
trap clean_up EXIT
for _ in $(seq 100); do (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break; sleep 0.1; done
code_of() { local code=0; "$@" >"$TMP/out" 2>&1 || code=$?; echo $code; }
connect() { "$lockstep" connect "$@" >"$TMP/out" 2>"$TMP/err" || fail "connect $*: $(cat "$TMP/out" "$TMP/err" "$TMP/sshd.log")"; }
url_said() { awk 'NR == 1 { print $NF }' "$TMP/out"; }
ranks_at() { curl -s --max-time 30 -H "Authorization: Bearer ${1##*token=}" "${1%%/#*}/api/run" | jq -c '[.serve.ranks[].rank]'; }

connect far "$TMP/runs/it's my run"
url=$(url_said)
[[ $url == http://127.0.0.1:*/#token=* ]] || fail "no URL: $(cat "$TMP/out")"
want_equal "the run through the tunnel" "[0,1]" "$(ranks_at "$url")"
served=$("$lockstep" serve "$TMP/runs/it's my run" --reuse | awk '{ print $NF }')
want_equal "the token" "${served##*=}" "${url##*=}"
[ "${served%%/#*}" != "${url%%/#*}" ] || fail "the URL is that of the server itself, $url"

echo "once more: the same login and server, another tunnel"
first=$url
connect far "$TMP/runs/it's my run"
want_equal "the run through the second" "[0,1]" "$(ranks_at "$(url_said)")"
want_equal "the run through the first" "[0,1]" "$(ranks_at "$first")"
want_equal "servers" 1 "$(find "$TMP/runs" -path '*/serve/*.json' | wc -l)"
here=$(free_ports 1)
connect far "$TMP/runs" --port "$here"
[[ $(url_said) == http://127.0.0.1:$here/#token=* ]] || fail "another port than asked for: $(cat "$TMP/out")"

echo "what cannot be"
want_equal "exit code of a port in use" 3 "$(code_of "$lockstep" connect far "$TMP/runs" --port "$port")"
want_equal "exit code without such a run" 3 "$(code_of "$lockstep" connect far "$TMP/nowhere")"
grep -q "far: .*nowhere" "$TMP/out" || fail "it does not say what is missing: $(cat "$TMP/out")"
want_equal "exit code of a host that is down" 3 "$(code_of "$lockstep" connect down)"
grep -q "down: .*onnect" "$TMP/out" || fail "$(cat "$TMP/out")"
want_equal "exit code of a name that ssh would take for an option" 2 "$(code_of "$lockstep" connect -- '-oProxyCommand=id')"
want_equal "exit code of a name that a shell would read" 2 "$(code_of "$lockstep" connect 'far;id')"

echo "and its end"
"$lockstep" connect far --disconnect >"$TMP/out" || fail "it was not ended: $(cat "$TMP/out")"
curl -s --max-time 5 "${first%%/#*}/" >/dev/null && fail "the tunnel is still there"
want_equal "the server there" "[0,1]" "$(ranks_at "$served")"
want_equal "exit code when there is nothing to end" 1 "$(code_of "$lockstep" connect far --disconnect)"
