#!/usr/bin/env bash
# A thread in each of many system calls that block is stopped by `lockstep stacks`: the calls that end with EINTR, as no
# signal handler would make them, are those that docs/live.md names, and none that it says goes on.
. "$(dirname "$0")/../lib.sh"
mkfifo "$TMP/go"
setsid "$BUILD/lockstep-stopped" calls <"$TMP/go" >"$TMP/calls" 2>"$TMP/err" &
exec 5>"$TMP/go"
for _ in $(seq 300); do
  grep -q ready "$TMP/calls" && break
  sleep 0.1
done
pid=$(pgrep -f "^$BUILD/lockstep-stopped calls" | head -1)
trap 'kill -9 "$pid" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$TMP"' EXIT
# On a busy machine a thread may not stop in time; it is asked again.
for _ in 1 2 3 4 5; do
  "$BUILD/lockstep" stacks "$pid" --threads all >"$TMP/text" && break
done || fail "not read: $(cat "$TMP/text")"
sleep 0.5  # for the threads to come back from their calls
echo >&5
for _ in $(seq 300); do
  [ "$(wc -l <"$TMP/calls")" -gt 20 ] && break
  sleep 0.1
done
documented() { sed -n "/^| $1 |/p" "$ROOT/docs/live.md" | grep -o '`[a-z_A-Z0-9 ]*`' | tr -d '`' | tr ' ' _ | sort; }
grep 'ended' "$TMP/calls" | grep -v 'with EINTR$' && fail "calls that ended otherwise"
sed -n 's/ ended with EINTR$//p' "$TMP/calls" | sort >"$TMP/interrupted"
sed -n 's/ goes on$//p' "$TMP/calls" | sort >"$TMP/go_on"
undocumented=$(comm -23 "$TMP/interrupted" <(documented 'end with EINTR'))
[ -z "$undocumented" ] || fail "docs/live.md does not say that these end with EINTR: $undocumented"
interrupted=$(comm -12 "$TMP/interrupted" <(documented 'go on'))
[ -z "$interrupted" ] || fail "docs/live.md says that these go on: $interrupted"
unmentioned=$(comm -23 "$TMP/go_on" <(sort <(documented 'go on') <(documented 'end with EINTR')))
[ -z "$unmentioned" ] || fail "docs/live.md names nothing of: $unmentioned"
[ -s "$TMP/interrupted" ] || fail "no call noticed the stop: $(cat "$TMP/calls")"
