#!/usr/bin/env bash
# timeout: 200
# A served run: curl asks for all that the page asks for and gets what the tables say; whoever has no token, comes from
# another origin, tries paths, SQL with side effects, slow or endless requests gets nothing, and others are served meanwhile.
. "$(dirname "$0")/../lib.sh"
need curl curl
need jq jq
need_server
export LOCKSTEP_HOST_LOAD=0 XDG_CACHE_HOME=$TMP/cache
lockstep=$BUILD/lockstep
LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-emulate" --ranks 4 --sizes 64K 1M --iterations 20 --rate 50 \
  "$BUILD/libnccl-profiler.so" >"$TMP/truth"

PID=
trap '[ -z "$PID" ] || kill "$PID" 2>/dev/null; rm -rf "$TMP"' EXIT
start() {  # start ARGUMENT...: a server; sets PID, URL without the fragment, TOKEN
  rm -f "$TMP/banner"
  "$lockstep" serve "$@" >"$TMP/banner" 2>"$TMP/err" &
  PID=$!
  for _ in $(seq 300); do [ -s "$TMP/banner" ] && break; kill -0 "$PID" 2>/dev/null || break; sleep 0.1; done
  local url
  url=$(head -1 "$TMP/banner" | awk '{ print $NF }')
  URL=${url%%/#*} TOKEN=${url##*#token=}
  [[ $URL == http*://* ]] || fail "no URL in the banner: $(cat "$TMP/banner" "$TMP/err")"
}
stop() { kill "$PID"; wait "$PID" || fail "the server ended with $?"; PID=; }
ask() { curl -sSk --max-time 60 -H "Authorization: Bearer $TOKEN" "$@"; }
status() { curl -sSk --max-time 60 -o "$TMP/body" -w '%{http_code}' "$@"; }
want_status() {  # want_status EXPECTED ARGUMENT...
  local expected=$1
  shift
  want_equal "status of $*" "$expected" "$(status "$@")"
}
with() { want_status "$1" -H "Authorization: Bearer $TOKEN" "${@:2}"; }

start "$TMP/run"
want_equal "mode of the token" "600 700" "$(stat -c %a "$TMP/run/serve/token" "$TMP/run/serve" | xargs)"
want_equal "the token in the URL" "$(cat "$TMP/run/serve/token")" "$TOKEN"

echo "the run, as the report has it"
ask "$URL/api/run" | jq -S 'del(.serve, .origin_unix_ns, .output)' >"$TMP/served"
"$lockstep" report "$TMP/run" --json -o "$TMP/report" | jq -S 'del(.origin_unix_ns, .output)' >"$TMP/reported"
cmp "$TMP/served" "$TMP/reported" || fail "/api/run differs from lockstep report --json"
want_equal "ranks served" "0 1 2 3" "$(ask "$URL/api/run" | jq -r '[.serve.ranks[].rank] | join(" ")')"
length=$(ask "$URL/api/run" | jq .serve.to_ns)

echo "operations, as SQL has them"
want_equal "operations" 80 "$(ask "$URL/api/ops?ranks=0-3" | jq '.rows | length')"
want_equal "of one rank, limited" "7 true" "$(ask "$URL/api/ops?ranks=2&limit=7" | jq -r '"\(.rows | length) \(.truncated)"')"
if "$lockstep" query "$TMP/run" "SELECT 1" >/dev/null 2>&1; then
  "$lockstep" query "$TMP/run" --csv "SELECT rank, ordinal, wait_ns, transfer_ns, size_bytes FROM operations JOIN arrivals \
    USING (operation, rank) ORDER BY rank, operation" | tail -n +2 >"$TMP/by_sql"
  ask "$URL/api/ops?ranks=0-3" | jq -r '.rows[] | [.[0], .[3], .[6], .[7], .[8]] | map(tostring) | join(",")' >"$TMP/by_api"
  cmp "$TMP/by_sql" "$TMP/by_api" || fail "/api/ops differs from SQL"
  want_equal "a statement" '[[20,"AllReduce"],["n","func"],["number","string"],false]' "$(ask "$URL/api/query" -d \
    '{"sql": "SELECT count(*) AS n, func FROM matches GROUP BY func;"}' |
    jq -c '[.rows[0], [.columns[].name], [.columns[].type], .truncated]')"
  want_equal "rows cut" "5 true" "$(ask "$URL/api/query" -d '{"sql": "SELECT * FROM operations", "max_rows": 5}' |
    jq -r '"\(.rows | length) \(.truncated)"')"
  echo "SQL that reads files, changes, or never ends"
  touch "$TMP/secret.csv"
  for sql in "SELECT * FROM read_csv('$TMP/secret.csv')" "COPY operations TO '$TMP/out.csv'" "DROP TABLE operations" \
    "DELETE FROM operations" "ATTACH '$TMP/x.db'" "SET memory_limit='100GB'" "INSTALL httpfs" "SELECT 1; SELECT 2" \
    "PRAGMA database_list" "SELECT * FROM '$TMP/secret.csv'" "SELECT nothing FROM nowhere" "" "SELECT ("; do
    with 400 "$URL/api/query" -d "$(jq -n --arg sql "$sql" '{sql: $sql}')"
    jq -e '.error | length > 0' "$TMP/body" >/dev/null || fail "no sentence for $sql"
  done
  [ ! -e "$TMP/out.csv" ] || fail "SQL wrote a file"
  with 400 "$URL/api/query" -d '{"sql": "SELECT count(*) FROM range(10000000000) a, range(10000000000) b WHERE a.range = b.range + 0.5"}'
  grep -q "took longer than 10 s\|Out of Memory\|max_temp_directory_size" "$TMP/body" || fail "$(cat "$TMP/body")"
  want_equal "operations after all that" 80 "$(ask "$URL/api/query" -d '{"sql": "SELECT count(*) FROM operations"}' | jq '.rows[0][0]')"
fi

echo "tiles"
ask "$URL/api/tiles?columns=64" >"$TMP/tiles"
ask -H "Accept-Encoding: gzip" "$URL/api/tiles?columns=64" | gzip -d | cmp - "$TMP/tiles" || fail "packed tiles differ"
for path in / /api/run; do  # text is packed once, and with gzip: at its best, Brotli takes a second for a megabyte
  ask "$URL$path" >"$TMP/text"
  ask -D "$TMP/headers" -H "Accept-Encoding: gzip, deflate, br" "$URL$path" | gzip -d | cmp - "$TMP/text" || fail "$path, packed, differs"
  want_equal "encodings of $path" gzip "$(sed -n 's/^Content-Encoding: //Ip' "$TMP/headers" | tr -d '\r' | xargs)"
done
python3 - "$TMP/tiles" "$length" <<'EOF' || fail "the tile is wrong"
import struct, sys
data = open(sys.argv[1], "rb").read()
magic, rows, columns, begin, end, bucket = struct.unpack_from("<8sIIqqq", data)
assert magic == b"LKTILES1" and rows == 4 and 16 < columns <= 64, (magic, rows, columns)
assert begin == 0 and end - begin == columns * bucket and end >= int(sys.argv[2])
assert len(data) == 64 + 8 * rows + 16 * rows * columns
assert struct.unpack_from("<8I", data, 64) == (0, 0, 1, 1, 2, 2, 3, 3)
cells = list(struct.iter_unpack("<4H2I", data[96:]))
assert any(cell[0] for cell in cells) and any(cell[1] for cell in cells) and any(cell[2] for cell in cells)
assert all((cell[4] == 0xFFFFFFFF) == (cell[2] == 0) for cell in cells)
EOF
want_equal "the name of the only communicator" '["world"]' "$(ask "$URL/api/tiles?by=communicator&columns=8" | tail -c 9)"
want_equal "hosts" 1 "$(ask "$URL/api/tiles?by=host&columns=8" | od -An -tu4 -j8 -N4 | xargs)"
for wrong in "from=x" "rows=0" "rows=300" "columns=5000" "level=99" "level=0" "by=colour" "ranks=9-" "ranks=77" "nonsense=1" \
  "from=5&to=5" "from=-9223372036854775808&to=9223372036854775807" "bucket_ns=9223372036854775807"; do
  with 400 "$URL/api/tiles?$wrong"
done
want_equal "groups of rows" '["rank"]' "$(ask "$URL/api/run" | jq -c .serve.groups)"
with 400 "$URL/api/tiles?by=tensor"
with 400 "$URL/api/ops"
with 400 "$URL/api/ops?ranks=0&limit=50001"

echo "a trace"
ask "$URL/api/trace?from=0&to=$length&ranks=0-1" >"$TMP/trace"
[ "$(head -c 1 "$TMP/trace" | od -An -tx1 | xargs)" = 0a ] || fail "no trace: $(head -c 200 "$TMP/trace")"
with 400 "$URL/api/trace?format=pdf"

echo "nobody without the token, of another origin, or beside the paths"
want_status 200 "$URL/"
! grep -q "$TOKEN" "$TMP/body" || fail "the page has the token"
for path in run tiles ops query trace nothing; do want_status 401 "$URL/api/$path"; done
want_status 401 -H "Authorization: Bearer ${TOKEN%?}" "$URL/api/run"
want_status 401 -H "Authorization: Bearer ${TOKEN%?}x" "$URL/api/run"
want_status 401 -H "Authorization: Bearer " "$URL/api/run"
want_status 401 -H "Authorization: Basic $TOKEN" "$URL/api/run"
want_status 401 "$URL/api/run?token=$TOKEN"
want_status 401 -d '{"sql": "SELECT 1"}' "$URL/api/query"
with 403 -H "Host: evil.example" "$URL/api/run"
with 403 -H "Host: 127.0.0.1.evil.example:80" "$URL/"
with 403 -H "Origin: http://evil.example" "$URL/api/run"
with 403 -H "Origin: null" "$URL/api/run"
with 200 -H "Origin: $URL" "$URL/api/run"
with 404 "$URL/api/nothing"
with 404 "$URL/api/compare?with=run"
with 405 -X DELETE "$URL/api/run"
with 405 -X PUT -d x "$URL/"
with 415 -F x=y "$URL/api/query"
head -c 100000 /dev/zero | tr '\0' x >"$TMP/large"
with 413 --data-binary @"$TMP/large" "$URL/api/query"
with 413 -H "Transfer-Encoding: chunked" --data-binary @"$TMP/large" "$URL/api/query"
with 400 -d 'no JSON' "$URL/api/query"
for path in /../../etc/passwd /..%2f..%2fetc/passwd /api/../../etc/passwd /%2e%2e/etc/passwd //etc/passwd \
  /serve/token /api/run%00 /api/run/; do
  code=$(status --path-as-is -H "Authorization: Bearer $TOKEN" "$URL$path")
  case $code in 404 | 400) ;; *) fail "status $code for $path" ;; esac
  ! grep -q "root:" "$TMP/body" || fail "$path gave a file"
done
log=$TMP/run/serve/access.log
grep -q " owner GET /api/ops 200 " "$log" || fail "the log lacks a request: $(tail -3 "$log")"
! grep -qE "$TOKEN|SELECT|token=" "$log" || fail "the log has tokens or statements"

echo "slow clients and many of them keep nobody else out"
python3 - "$URL" "$TOKEN" <<'EOF' || fail "it was not served among slow clients"
import socket, sys, time, urllib.request
host, port = sys.argv[1].split("//")[1].split(":")
slow = []
for i in range(300):  # more than threads and places to wait
    client = socket.socket()
    client.connect((host, int(port)))
    client.setblocking(False)
    try:
        client.send(b"GET /api/run HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    except OSError:
        pass  # closed already: one too many
    slow.append(client)
endless = socket.socket()
endless.connect((host, int(port)))
deadline = time.time() + 90
served = 0
while served < 3 and time.time() < deadline:
    request = urllib.request.Request(sys.argv[1] + "/api/run", headers={"Authorization": "Bearer " + sys.argv[2]})
    try:
        served += urllib.request.urlopen(request, timeout=30).status == 200
    except OSError:
        time.sleep(0.2)  # among those that are too many
assert served == 3, served
# Headers without an end are cut.
endless.settimeout(30)
try:
    endless.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
    for i in range(100000):
        endless.sendall(b"X-%d: %s\r\n" % (i, b"y" * 1000))
    raise AssertionError("100 MB of headers were taken")
except OSError:
    pass
EOF
[ "$(awk '/VmHWM/ { print $2 }' /proc/$PID/status)" -lt 2000000 ] || fail "it grew"
stop

echo "the job's logs in RUN/logs, though the summary was made without them"
mkdir "$TMP/run/logs"
middle=$("$lockstep" report "$TMP/run" --force --json | jq '(.origin_unix_ns + .length_ns / 2) / 1e9')
printf '%s step 9\n%s ERROR loss is nan\n' "$middle" "$middle" >"$TMP/train.log"
ln -s "$TMP/train.log" "$TMP/run/logs/train.log"
start "$TMP/run"
ask "$URL/api/run" | jq -S 'del(.serve, .origin_unix_ns, .output)' >"$TMP/served"
want_equal "lines served" '["step 9","ERROR loss is nan"]' "$(jq -c '[.logs[].text | sub("^[0-9.]+ "; "")]' "$TMP/served")"
"$lockstep" report "$TMP/run" --force --json | jq -S 'del(.origin_unix_ns, .output)' >"$TMP/reported"
cmp "$TMP/served" "$TMP/reported" || fail "with logs, /api/run differs from lockstep report --json"
ask "$URL/api/trace?from=0&to=$length&ranks=0" >"$TMP/trace"
grep -aq "loss is nan" "$TMP/trace" || fail "the trace has no line of the log"
ask "$URL/api/trace?from=0&to=$((length / 4))&ranks=0" >"$TMP/trace"
! grep -aq "loss is nan" "$TMP/trace" || fail "the trace of another time has the line"
stop
printf '%s WARN slower\n' "$middle" >>"$TMP/train.log"
ln -s /proc/self/mem "$TMP/run/logs/[no] log"  # a file, and nobody can read its beginning
mkdir "$TMP/run/logs/folder"
start "$TMP/run"
ask "$URL/api/run" >"$TMP/served"
want_equal "lines after one more" 3 "$(jq '.logs | length' "$TMP/served")"
want_equal "words about a file that cannot be read" true \
  "$(jq '[.tables[] | select(.title == "Job logs") | .words][0] | contains("[no] log: reading failed")' "$TMP/served")"
rm "$TMP/run/logs/[no] log"
stop

echo "tokens in files"
printf 'a-token-of-my-own\n' >"$TMP/token"
chmod 644 "$TMP/token"
"$lockstep" serve "$TMP/run" --token-file "$TMP/token" >"$TMP/out" 2>&1 && fail "a token that others read was taken"
grep -q "others can read" "$TMP/out" || fail "$(cat "$TMP/out")"
chmod 600 "$TMP/token"
printf '# the team\nalice alice-has-this-token\n' >"$TMP/users"
chmod 600 "$TMP/users"
start "$TMP/run" --token-file "$TMP/token" --users "$TMP/users"
want_equal "the token" a-token-of-my-own "$TOKEN"
TOKEN=alice-has-this-token
with 200 "$URL/api/run"
grep -q " alice GET /api/run 200 " "$log" || fail "the log does not name alice"
port=${URL##*:}
"$lockstep" serve "$TMP/run" --port "$port" >"$TMP/out" 2>&1 && fail "a port in use was taken"
grep -q "in use" "$TMP/out" || fail "$(cat "$TMP/out")"
stop

echo "one that serves the run already is found, listed and ended"
start "$TMP/run"
want_equal "the URL in the list" "$URL/" "$("$lockstep" runs list "$TMP" --json | jq -r '.[] | select(.run == "run") | .urls[]')"
want_equal "the URL of --reuse" "$URL/#token=$TOKEN" "$("$lockstep" serve "$TMP/run" --reuse | awk '{ print $NF }')"
first=$PID
start "$TMP/run" </dev/null
grep -q "process $first on .* serves this run too" "$TMP/err" || fail "it says nothing of the other: $(cat "$TMP/err")"
stop
start "$TMP/run" --new
[ ! -s "$TMP/err" ] || fail "it complains: $(cat "$TMP/err")"
want_equal "ended" 2 "$("$lockstep" serve "$TMP/run" --stop | wc -l)"
wait "$PID" "$first" || fail "a server ended with $?"
PID=
code=0
"$lockstep" serve "$TMP/run" --stop 2>/dev/null || code=$?
want_equal "exit code when nobody serves it" 1 "$code"
want_equal "URLs when nobody serves it" 0 "$("$lockstep" runs list "$TMP" --json | jq '.[0].urls | length')"

echo "a note that somebody else left: neither its process nor its token file is touched"
if [ "$(id -u)" = 0 ]; then
  sleep 100 &
  PID=$!
  note=$TMP/run/serve/$(hostname).$PID.json
  jq -n --arg boot "$(cat /proc/sys/kernel/random/boot_id)" --arg host "$(hostname)" --argjson pid $PID \
    --argjson begun "$(awk '{ print $22 }' /proc/$PID/stat)" --arg file "$TMP/run/serve/token" \
    '{host: $host, boot_id: $boot, pid: $pid, process_start: $begun, url: "http://evil.example/", token_file: $file}' >"$note"
  chown 12345 "$note"
  code=0
  "$lockstep" serve "$TMP/run" --stop 2>/dev/null || code=$?
  want_equal "exit code of --stop" 1 "$code"
  kill -0 "$PID" || fail "the process of another's note was ended"
  "$lockstep" serve "$TMP/run" --reuse >"$TMP/out"
  ! grep -q "$(cat "$TMP/run/serve/token")" "$TMP/out" || fail "our token was told: $(cat "$TMP/out")"
  chown 0 "$note"
  sed -i 's/"boot_id": "[^"]*"/"boot_id": "an earlier start of this machine"/' "$note"
  want_equal "URLs after the machine has started again" 0 "$("$lockstep" runs list "$TMP" --json | jq '.[0].urls | length')"
  rm "$note"
  kill "$PID"
  PID=
fi

echo "a copy of Perfetto's page: at a URL, or in a folder that has a port of its own here"
export LOCKSTEP_PERFETTO_UI=http://perfetto.example/
start "$TMP/run" --new
want_equal "the URL" http://perfetto.example/ "$(ask "$URL/api/run" | jq -r .serve.perfetto_ui)"
stop
mkdir -p "$TMP/perfetto/v58"
echo "<p>Perfetto" >"$TMP/perfetto/index.html"
printf '\0asm' >"$TMP/perfetto/v58/trace processor.wasm"
echo secret >"$TMP/secret.txt"
ln -s "$TMP/secret.txt" "$TMP/perfetto/link.txt"
export LOCKSTEP_PERFETTO_UI=$TMP/perfetto
start "$TMP/run" --new
SITE=$(ask "$URL/api/run" | jq -r .serve.perfetto_ui)
SITE=${SITE%/}
[ "$SITE" != "$URL" ] || fail "Perfetto's page has the origin of ours"
want_equal "its page" "<p>Perfetto text/html; charset=utf-8" "$(curl -s -w '%{content_type}' "$SITE/" | xargs -d '\n')"
want_equal "a part of it" "application/wasm 4" "$(curl -s -o /dev/null -w '%{content_type} %{size_download}' "$SITE/v58/trace%20processor.wasm")"
for path in link.txt ../secret.txt %2e%2e/secret.txt v58 v58/ api/run v58/../../secret.txt; do
  want_status 404 --path-as-is "$SITE/$path"
done
want_status 403 -H "Host: evil.example" "$SITE/"
want_status 405 -d x "$SITE/"
stop
for wrong in "$TMP/perfetto/v58" "$TMP/nowhere"; do
  code=0
  LOCKSTEP_PERFETTO_UI=$wrong "$lockstep" serve "$TMP/run" --new >"$TMP/out" 2>&1 || code=$?
  want_equal "exit code with $wrong as Perfetto's page" 3 "$code"
  grep -q "LOCKSTEP_PERFETTO_UI: $wrong: there is no index.html" "$TMP/out" || fail "$(cat "$TMP/out")"
done
unset LOCKSTEP_PERFETTO_UI

echo "TLS, and only with it beyond this machine"
"$lockstep" serve "$TMP/run" --address 0.0.0.0 >"$TMP/out" 2>&1 && fail "it listened everywhere without TLS"
if command -v openssl >/dev/null; then
  openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 2 -keyout "$TMP/key.pem" -out "$TMP/cert.pem" 2>/dev/null
  start "$TMP/run" --tls-cert "$TMP/cert.pem" --tls-key "$TMP/key.pem"
  [[ $URL == https://* ]] || fail "no https: $URL"
  want_equal "over TLS" "80" "$(curl -s --cacert "$TMP/cert.pem" -H "Authorization: Bearer $TOKEN" \
    "https://localhost:${URL##*:}/api/ops?ranks=0-3" | jq '.rows | length')"
  status "http://127.0.0.1:${URL##*:}/" >/dev/null && fail "it answered without TLS"
  stop
  "$lockstep" serve "$TMP/run" --tls-cert "$TMP/key.pem" --tls-key "$TMP/key.pem" >"$TMP/out" 2>&1 && fail "a key as a certificate"
  grep -q "no certificate chain" "$TMP/out" || fail "$(cat "$TMP/out")"
fi

echo "what is no run is refused and left as it is"
mkdir "$TMP/other"
touch "$TMP/other/notes.txt"
code=0
timeout 20 "$lockstep" serve "$TMP/other" >"$TMP/out" 2>&1 || code=$?
want_equal "exit code" 3 "$code"
want_equal "files in it" 1 "$(find "$TMP/other" -mindepth 1 | wc -l)"
"$lockstep" runs rm "$TMP/run" --yes >"$TMP/out"
[ ! -e "$TMP/run" ] || fail "runs rm left $(ls "$TMP/run")"
