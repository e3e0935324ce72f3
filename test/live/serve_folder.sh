#!/usr/bin/env bash
# timeout: 180
# `lockstep serve PARENT`: the runs of a folder from one server. The list is that of `lockstep runs list`, each run beneath it
# answers as from a server of its own, more runs can be looked at than stay open, and nothing but runs is found there.
. "$(dirname "$0")/../lib.sh"
need curl curl
need jq jq
need_server
lockstep=$BUILD/lockstep
export XDG_CACHE_HOME=$TMP/cache
parent=$TMP/parent
mkdir "$parent" "$parent/no run"
for n in 2 3 4 5 6 7; do "$BUILD/lockstep-generate" "$parent/run $n" --ranks $n --operations 20 >/dev/null; done
touch "$parent/run 2/findings"  # no folder can be made there, so its verdict is kept in the cache
"$BUILD/lockstep-generate" "$TMP/outside" --ranks 2 --operations 20 >/dev/null

PID=
trap '[ -z "$PID" ] || kill "$PID" 2>/dev/null; rm -rf "$TMP"' EXIT
start() {  # start ARGUMENT...: a server; sets PID, URL, TOKEN
  rm -f "$TMP/banner"
  "$lockstep" serve "$@" >"$TMP/banner" 2>"$TMP/err" &
  PID=$!
  for _ in $(seq 300); do [ -s "$TMP/banner" ] && break; kill -0 "$PID" 2>/dev/null || break; sleep 0.1; done
  local url
  url=$(head -1 "$TMP/banner" | awk '{ print $NF }')
  URL=${url%%/#*} TOKEN=${url##*#token=}
  [[ $URL == http://* ]] || fail "no URL in the banner: $(cat "$TMP/banner" "$TMP/err")"
}
stop() { kill "$PID"; wait "$PID" || fail "the server ended with $?"; PID=; }
ask() { curl -sS --max-time 60 -H "Authorization: Bearer $TOKEN" "$@"; }
status() { curl -sS --max-time 60 --path-as-is -o "$TMP/body" -w '%{http_code}' "$@"; }

start "$parent"
[ ! -e "$parent/run 2/pyramid" ] || fail "runs are opened before somebody asks"
ask "$URL/api/run" | jq -S '[.runs[] | del(.urls)]' >"$TMP/served"
"$lockstep" runs list "$parent" --json | jq -S '[.[] | del(.urls)]' >"$TMP/listed"
cmp "$TMP/served" "$TMP/listed" || fail "the list differs from that of runs list"
want_equal "the folder's name" parent "$(ask "$URL/api/run" | jq -r .folder)"
want_equal "where a run is served" "$URL/runs/run%203/" "$("$lockstep" runs show "$parent/run 3" --json | jq -r '.urls[]')"

want_equal "verdicts before anybody looks" "" "$(ask "$URL/api/run" | jq -r '.runs[].headline | values')"

echo "every run, more than stay open, twice"
for _ in 1 2; do
  for n in 2 3 4 5 6 7; do
    want_equal "ranks of run $n" "$n" "$(ask "$URL/runs/run%20$n/api/run" | jq '.serve.ranks | length')"
  done
done
echo "the list says of each run what its page says, as long as it is the same recording"
want_equal "a verdict" "$(ask "$URL/runs/run%203/api/run" | jq -c '.headline | {kind, text}')" \
  "$(ask "$URL/api/run" | jq -c '.runs[] | select(.run == "run 3") | .headline | {kind, text}')"
want_equal "runs without one" 0 "$(ask "$URL/api/run" | jq '[.runs[] | select(.headline == null)] | length')"
cp "$parent/run 3/findings/headline.json" "$TMP/kept"
want_equal "who may read it" 600 "$(stat -c %a "$parent/run 3/findings/headline.json")"
of_3() { "$lockstep" runs show "$parent/run 3" --json | jq -r '.headline.kind'; }
echo '{"made_of": "1", "kind": "hangs", "text": "of another run"}' >"$parent/run 3/findings/headline.json"
want_equal "that of another recording" null "$(of_3)"
jq '.kind = "<b>"' "$TMP/kept" >"$parent/run 3/findings/headline.json"
want_equal "of no kind that there is" null "$(of_3)"
rm "$parent/run 3/findings/headline.json"
"$lockstep" report "$parent/run 3" >/dev/null || [ $? = 1 ] || fail "no report"
want_equal "of a report" "$(jq -r .kind "$TMP/kept")" "$(of_3)"
"$lockstep" report "$parent/run 3" --force --last 1ms >/dev/null || [ $? = 1 ] || fail "no report of a part"
want_equal "of a part it is not kept" "$(jq -r .kind "$TMP/kept")" "$(of_3)"
segment=$(find "$parent/run 3" -name '*.lks' | head -1)
cp "$segment" "$TMP/segment"
echo more >>"$segment"
want_equal "of a run that has grown since" null "$(of_3)"
cp "$TMP/segment" "$segment"
want_equal "status of a tile" 200 "$(status -H "Authorization: Bearer $TOKEN" "$URL/runs/run%202/api/tiles?columns=16")"
want_equal "operations of a run" 60 "$(ask "$URL/runs/run%203/api/ops?ranks=0-2" | jq '.rows | length')"
want_equal "the page of a run" 200 "$(status "$URL/runs/run%202/")"
ask "$URL/runs/run%205/api/run" | jq -S 'del(.serve, .origin_unix_ns, .output)' >"$TMP/served"
"$lockstep" report "$parent/run 5" --json -o "$TMP/report" | jq -S 'del(.origin_unix_ns, .output)' >"$TMP/reported"
cmp "$TMP/served" "$TMP/reported" || fail "a run's report differs from lockstep report --json"

echo "a run is compared with another of the folder, as report --compare does it"
simulate=("$BUILD/lockstep-simulate" --seed 1 --noise quiet --ranks 8 --schedule ddp --steps 20)
"${simulate[@]}" "$parent/before" >/dev/null
"${simulate[@]}" --class slow-gpu-transfer --rank 3 "$parent/after" >/dev/null
ask "$URL/runs/after/api/compare?with=before" | jq -S '{slower, faster, compared, compared_words}' >"$TMP/served"
{ "$lockstep" report "$parent/after" --compare "$parent/before" --json -o "$TMP/compared" || [ $? = 1 ]; } |
  jq -S '{slower, faster, compared, compared_words}' >"$TMP/reported"
[ "$(jq '.slower | length' "$TMP/reported")" -gt 0 ] || fail "a run with a slow GPU is not slower"
cmp "$TMP/served" "$TMP/reported" || fail "the comparison differs from that of report --compare"
want_equal "the other way round" 0 "$(ask "$URL/runs/before/api/compare?with=after" | jq '.slower | length')"
for wrong in "" "?with=" "?with=after" "?without=before"; do
  want_equal "status of compare$wrong" 400 "$(status -H "Authorization: Bearer $TOKEN" "$URL/runs/after/api/compare$wrong")"
done
for nowhere in nothing .. ../outside %2e%2e%2foutside; do
  want_equal "status of compare with $nowhere" 404 "$(status -H "Authorization: Bearer $TOKEN" "$URL/runs/after/api/compare?with=$nowhere")"
done
want_equal "status of compare without a token" 401 "$(status "$URL/runs/after/api/compare?with=before")"
rm -r "$parent/before" "$parent/after"

echo "SQL about each run"
for n in 2 3; do
  code=$(status -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"sql": "SELECT count(*) FROM processes"}' "$URL/runs/run%20$n/api/query")
  case $code in
    200) want_equal "processes of run $n, by SQL" "$n" "$(jq '.rows[0][0]' "$TMP/body")" ;;
    404) fail "nobody takes the statement" ;;
    *) jq -e '.error | test("DuckDB")' "$TMP/body" >/dev/null || fail "status $code: $(cat "$TMP/body")" ;;
  esac
done
want_equal "status of SQL without a token" 401 "$(status -d '{"sql": "SELECT 1"}' "$URL/runs/run%202/api/query")"
want_equal "status of a body for something else" 404 "$(status -H "Authorization: Bearer $TOKEN" -d '{}' "$URL/runs/run%202/api/run")"
want_equal "status of a body for nothing" 405 "$(status -d '{}' "$URL/runs/run%202/")"

echo "many who ask for the same run at once open it once"
rm -r "$parent/run 7/pyramid"
askers=()
for _ in $(seq 12); do
  ask -o /dev/null -w '%{http_code}\n' "$URL/runs/run%207/api/run" >>"$TMP/codes" &
  askers+=($!)
done
wait "${askers[@]}"
want_equal "their answers" "12 200" "$(sort "$TMP/codes" | uniq -c | xargs)"

echo "nobody without the token, and nothing but runs"
for path in "runs/run%202/api/run" "runs/nothing/api/run" "api/run"; do
  want_equal "status of $path without a token" 401 "$(status "$URL/$path")"
done
for path in "runs/nothing/api/run" "runs/no%20run/api/run" "runs/../api/nothing" "runs/..%2f..%2foutside/api/run" \
  "runs/%2e%2e/api/run" "runs/.%2e/api/run" "runs/./api/run" "runs//api/run" "runs/serve/api/run" "runs/run%202" "runs/" \
  "runs/run%202/pyramid/index.json" "runs/run%202/runs/run%202/api/run" "serve/token" "runs/run%202%00/api/run" "api/tiles"; do
  code=$(status -H "Authorization: Bearer $TOKEN" "$URL/$path")
  case $code in 404 | 400) ;; *) fail "status $code for $path: $(head -c 300 "$TMP/body")" ;; esac
done
ln -s "$TMP/outside" "$parent/link"
want_equal "a link that the owner made is a run" 2 "$(ask "$URL/runs/link/api/run" | jq '.serve.ranks | length')"
grep -q " owner GET /runs/run?2/api/tiles 200 " "$parent/serve/access.log" || fail "the log lacks a request"
stop

echo "one damaged run leaves the others alone"
for file in "$parent/run 4"/*.lks; do truncate -s 10 "$file"; done
rm -rf "$parent/run 4/pyramid"
start "$parent"
code=$(status -H "Authorization: Bearer $TOKEN" "$URL/runs/run%204/api/run")
[ "$code" != 200 ] || fail "a run without a readable byte is shown"
jq -e '.error | length > 0' "$TMP/body" >/dev/null || fail "no sentence: $(cat "$TMP/body")"
want_equal "ranks of another" 3 "$(ask "$URL/runs/run%203/api/run" | jq '.serve.ranks | length')"
want_equal "ended" 1 "$("$lockstep" serve "$parent" --stop | wc -l)"
wait "$PID" || fail "the server ended with $?"
PID=
