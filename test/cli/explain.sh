#!/usr/bin/env bash
# `lockstep explain` shows each stamp of an operation as the records have it, on its way to the clock that two hosts share:
# ten operations of a recording of two hosts against the records, the clock model and the tables. The one that
# docs/commands/explain.md prints is printed so. It finds operations by every name that it has, and says what it cannot.
. "$(dirname "$0")/../lib.sh"
need python3 python3
LOCKSTEP=$BUILD/lockstep
cp -r "$ROOT/test/data/recordings/two_hosts" "$TMP/run"
"$LOCKSTEP" cat "$TMP/run" >"$TMP/run.records"
need_duckdb "$TMP/run"
"$LOCKSTEP" query "$TMP/run" --json "SELECT o.*, p.host FROM operations o JOIN processes p USING (process)" >"$TMP/run.operations"
names="AllReduce#0@world:0 AllReduce#7@world:1 AllReduce#29@world:1 Reduce#0@world:0 Reduce#11@world:1 Reduce#28@world:0
  Send/1#3@world:0 Send/0#3@world:1 Recv/1#9@world:0 Recv/0#27@world:1"
for name in $names; do
  "$LOCKSTEP" explain "$TMP/run" "$name" --json >"$TMP/explained" || fail "$name: $?"
  python3 -B "$ROOT/test/cli/explain.py" "$TMP/run" "$name" "$TMP/explained" || fail "$name is explained otherwise than it is recorded"
done

sed -n '/^lockstep explain my-run Send/,/^```$/p' "$ROOT/docs/commands/explain.md" | sed '1,2d;$d' >"$TMP/printed"
"$LOCKSTEP" explain "$TMP/run" "Send/0#3@world:1" >"$TMP/text"
diff "$TMP/printed" "$TMP/text" || fail "docs/commands/explain.md prints another answer"

# By event, with and without its process; the two processes have events of one number.
event=$(sed -n '1s/.*: event \([0-9]*\) on .*/\1/p' "$TMP/text")
"$LOCKSTEP" explain "$TMP/run" "$event@h1.22212" | diff - "$TMP/text" || fail "the event's number finds another operation"
status=0
"$LOCKSTEP" explain "$TMP/run" "AllReduce#400@world:1" >"$TMP/out" 2>"$TMP/err" || status=$?
want_equal "exit code for an operation that is none" 2 $status
grep -q "AllReduce#400@world:1: this run has no such operation; it has, for example, " "$TMP/err" || fail "$(cat "$TMP/err")"
status=0
"$LOCKSTEP" explain "$TMP/run" 77 >"$TMP/out" 2>"$TMP/err" || status=$?
want_equal "exit code for an event that is none" 2 $status

# Real NCCL's records on one host, that is on no common clock: each operation of a rank has a name that finds it alone.
LOCKSTEP_EVENTS=all LOCKSTEP_DIR=$TMP/real "$BUILD/lockstep-replay" "$BUILD/libnccl-profiler.so" --virtual \
  "$ROOT"/test/data/calls/grouped_sendrecv.*.txt.zst >/dev/null
"$LOCKSTEP" query "$TMP/real" --csv "SELECT event_id || '@' || p.host || '.' || p.pid FROM operations o JOIN processes p USING (process)
  WHERE o.kind <> 'assembled' LIMIT 6" | tail -n +2 >"$TMP/events"
[ -s "$TMP/events" ] || fail "the replay has no operations"
while read -r event; do
  name=$("$LOCKSTEP" explain "$TMP/real" "$event" | sed -n '1s/: event .*//p')
  "$LOCKSTEP" explain "$TMP/real" "$name" >"$TMP/by_name" || fail "$name, as $event is called, is not found"
  "$LOCKSTEP" explain "$TMP/real" "$event" | diff - "$TMP/by_name" || fail "$name is another than $event"
done <"$TMP/events"
