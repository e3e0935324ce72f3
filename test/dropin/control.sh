#!/usr/bin/env bash
# Changing a living process through its control socket: what it answers, what the recording shows, whom it refuses.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
LOCKSTEP_DIR=$TMP/run LOCKSTEP_DUMP_INTERVAL_US=60000000 LOCKSTEP_CLOCK=0 \
  "$BUILD/lockstep-emulate" --ranks 2 --iterations 900 --rate 50 "$BUILD/libnccl-profiler.so" >"$TMP/counts" 2>&1 &
job=$!
trap 'kill $job 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT
sockets() { find "$TMP/run" -name '*.ctl' 2>/dev/null | sort; }
for _ in $(seq 100); do
  [ "$(sockets | wc -l || true)" = 2 ] && break
  sleep 0.1
done
socket=$(sockets | head -1)
[ -n "$socket" ] || fail "no control socket in the run directory: $(cat "$TMP/counts")"
want_equal "mode of the socket" 600 "$(stat -c %a "$socket")"
pid=$(basename "$socket" | sed 's/.*\.\([0-9]*\)\.ctl/\1/')
want_equal "found by process id" "$pid" "$("$lockstep" ctl "$pid" status | jq .pid)"

records() { "$lockstep" ctl "$pid" snapshot | jq .records_written; }
before=$(records)
[ "$before" -gt 0 ] || { sleep 1; before=$(records); }
[ "$before" -gt 0 ] || fail "a snapshot writes nothing although the interval is a minute"
want_equal "events none" none "$("$lockstep" ctl "$pid" events none | jq -r .events)"
sleep 0.7  # what was under way ends
quiet=$(records)
sleep 0.7
# NCCL stops its last CollApi again with every collective; nothing else comes.
quiet_rate=$(($(records) - quiet))
"$lockstep" ctl "$pid" events all >/dev/null
loud=$(records)
sleep 0.7
[ $(($(records) - loud)) -gt $((5 * quiet_rate + 50)) ] || fail "events none leaves $quiet_rate records, events all no more"
before=$("$lockstep" ctl "$pid" events coll | jq -r .events)
added=$("$lockstep" ctl "$pid" events +ProxyStep for 1s)
want_equal "kinds added for a time" "$before ProxyStep" "$(jq -r '"\(.events | split(",") - ["ProxyStep"] | join(",")) \(.lent)"' <<<"$added")"
jq -e '.events | contains("ProxyStep")' <<<"$added" >/dev/null || fail "what is added is not recorded: $added"
back() { [ "$("$lockstep" ctl "$pid" status | jq -r '"\(.events) \(.lent)"')" = "$before null" ]; }
for _ in $(seq 100); do
  ! back || break
  sleep 0.1
done
back || fail "kinds that were added for a second are not taken back"
"$lockstep" ctl "$pid" events all >/dev/null
want_equal "interval" 50000 "$("$lockstep" ctl "$pid" interval 50000 | jq .interval_us)"

for wrong in 'events Nonsense' 'events +step' 'events +step for 601s' 'events +step for s' 'events +x for 1s' 'interval 5' 'interval' 'shutdown'; do
  # shellcheck disable=SC2086
  "$lockstep" ctl "$TMP/run" $wrong >"$TMP/answer" && fail "'$wrong' was accepted"
  jq -e .error "$TMP/answer" >/dev/null || fail "'$wrong' gets no error"
done
"$lockstep" ctl "$TMP/run" "$(head -c 5000 /dev/zero | tr '\0' x)" >/dev/null 2>&1 && fail "a line without end was accepted"

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && getent passwd nobody >/dev/null; then
  # The file's mode refuses a foreign user; with that opened, the process itself still does.
  chmod 755 "$TMP" "$TMP/run"
  as_nobody() { setpriv --reuid=nobody --clear-groups "$TMP/lockstep" ctl "$TMP/run" status; }
  cp "$lockstep" "$TMP/lockstep"
  as_nobody >/dev/null 2>&1 && fail "a foreign user got through mode 0600"
  chmod 777 "$socket"
  as_nobody >"$TMP/answer" 2>/dev/null && fail "a foreign user was answered"
  ! grep -q run_directory "$TMP/answer" || fail "a foreign user was told the status"
fi

wait $job || fail "the job failed: $(cat "$TMP/counts")"
"$lockstep" verify "$TMP/run" >"$TMP/verify" 2>&1 || fail "a recording with changes does not verify: $(cat "$TMP/verify")"
for change in 'events set to none by' 'events set to Group,Coll' 'for 1 s by' 'again, as before that' 'dump interval set to 50000'; do
  grep -q "$change" "$TMP/verify" || fail "the recording does not show '$change': $(cat "$TMP/verify")"
done
