#!/usr/bin/env bash
# A process whose program lies where only its own mount namespace has it, as in a container: its stack has names.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/live/libdw.sh"
unshare --mount true 2>/dev/null || skip "no mount namespaces here (root, CAP_SYS_ADMIN)"
mkdir "$TMP/mnt"
unshare --mount bash -c 'mount -t tmpfs none "$1/mnt" && cp "$2" "$1/mnt/places" && exec "$1/mnt/places" "$3" --ranks 1' \
  inside "$TMP" "$BUILD/lockstep-places" "$BUILD/libnccl-profiler.so" >"$TMP/places" 2>"$TMP/err" &
job=$!
trap 'kill $job 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT
for _ in $(seq 300); do
  [ ! -s "$TMP/places" ] || break
  kill -0 $job || fail "the process has ended: $(cat "$TMP/err")"
  sleep 0.1
done
[ ! -e "$TMP/mnt/places" ] || fail "the program can be seen from outside: nothing is tested"
"$BUILD/lockstep" stacks "$(awk '{ print $2 }' "$TMP/places")" >"$TMP/text" || fail "not read: $(cat "$TMP/text")"
grep -q ': reads_a_pipe (main.cc:' "$TMP/text" || fail "its functions have no names: $(cat "$TMP/text")"
