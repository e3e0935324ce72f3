#!/usr/bin/env bash
# Network operations and steps of a served run: /api/steps gives those of SQL's proxy_steps that a window touches, also of hosts
# on one clock, and no more than is asked for.
. "$(dirname "$0")/../lib.sh"
need curl curl
need jq jq
need_server
export LOCKSTEP_HOST_LOAD=0 XDG_CACHE_HOME=$TMP/cache
lockstep=$BUILD/lockstep
"$BUILD/lockstep-simulate" --seed 3 --ranks 6 --gpus-per-host 2 --class slow-network-bursts --size 2 --events step --steps 100 "$TMP/run" >/dev/null
need_duckdb "$TMP/run"

trap 'kill "$PID" 2>/dev/null; rm -rf "$TMP"' EXIT
"$lockstep" serve "$TMP/run" >"$TMP/banner" 2>"$TMP/err" &
PID=$!
until [ -s "$TMP/banner" ]; do kill -0 "$PID" || fail "no server: $(cat "$TMP/err")"; sleep 0.1; done
url=$(head -1 "$TMP/banner" | awk '{ print $NF }')
URL=${url%%/#*} TOKEN=${url##*#token=}
ask() { curl -sS --max-time 60 -H "Authorization: Bearer $TOKEN" "$@"; }
status() { ask -o "$TMP/body" -w '%{http_code}' "$URL/api/steps?$1"; }

# 3 ms in the middle of an operation of the run's middle.
ask "$URL/api/ops?ranks=0-5" >"$TMP/ops"
read -r from func ordinal < <(jq -r '.rows | map(select(.[0] == 1)) | .[length / 2 | floor] | "\(((.[4] + .[5]) / 2) | floor) \(.[2]) \(.[3])"' "$TMP/ops")
to=$((from + 3000000))
ask "$URL/api/steps?ranks=1,4&from=$from&to=$to" >"$TMP/steps"
"$lockstep" query "$TMP/run" --csv "WITH began AS (SELECT min(first_ns) AS ns FROM processes) \
  SELECT p.rank, channel, is_send, step, start_ns - ns, stop_ns - ns, size_bytes, network_ns, receive_wait_ns \
  FROM proxy_steps s JOIN processes p USING (process) CROSS JOIN began \
  WHERE p.rank IN (1, 4) AND start_ns - ns < $to AND stop_ns - ns >= $from ORDER BY ALL" | tail -n +2 | sort >"$TMP/by_sql"
jq -r '.network_operations.rows as $operations | .steps.rows[] | $operations[.[0]] as $of |
  [$of[0], $of[5], if $of[6] == "send" then 1 else 0 end, .[1], .[2], .[3], .[4], .[8], .[9]] | map(. // "" | tostring) | join(",")' "$TMP/steps" |
  sort >"$TMP/by_api"
[ "$(wc -l <"$TMP/by_sql")" -gt 20 ] || fail "the window has few steps: $(wc -l <"$TMP/by_sql")"
cmp "$TMP/by_sql" "$TMP/by_api" || fail "/api/steps differs from SQL: $(diff "$TMP/by_sql" "$TMP/by_api" | head -4)"
jq -e --arg func "$func" --argjson ordinal "$ordinal" '[.network_operations.rows[] | select(.[0] == 1 and .[2] == $func and .[3] == $ordinal)] |
  length > 0' "$TMP/steps" >/dev/null || fail "no network operation of $func #$ordinal"
want_equal "hosts on one clock" true "$(ask "$URL/api/run" | jq .serve.one_clock)"
want_equal "what is said of the recording" "true true 0" "$(jq -r '"\(.operations_recorded) \(.steps_recorded) \(.steps_left_out)"' "$TMP/steps")"

all=$(wc -l <"$TMP/by_sql")
want_equal "steps, limited" "10 $((all - 10))" "$(ask "$URL/api/steps?ranks=1,4&from=$from&to=$to&limit=10" |
  jq -r '[(.steps.rows | length), .steps_left_out] | join(" ")')"

want_equal "no ranks" 400 "$(status "from=$from&to=$to")"
want_equal "a limit that is none" 400 "$(status "ranks=1&limit=0")"
want_equal "a parameter that is none" 400 "$(status "ranks=1&where=1")"
want_equal "too long a time" 413 "$(status "ranks=1&from=0&to=10000000001")"
