#!/usr/bin/env bash
# A run whose hosts have a directory each gives the same answers, byte for byte, as the same files in one directory; what
# killed processes left is recovered beside their other files; and a folder of runs is no run.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
export LOCKSTEP_HOST_LOAD=0 LOCKSTEP_DIR=$TMP/hosts/run/%h LOCKSTEP_CLOCK_OUT=$TMP/hosts/run LOCKSTEP_EVENTS=all
emulate=("$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --ranks 2 --stall-us 30000000 --rate 100 --iterations)
for host in a a.b; do LOCKSTEP_HOST=$host "${emulate[@]}" 50 >/dev/null; done
cd "$TMP/hosts/run"
want_equal "files of processes" "a.b/a.b a.b/a.b a/a a/a" "$(find . -name '*.lks' -printf '%P\n' | sed 's/\.[0-9]*\.0\.lks$//' | sort | xargs)"
want_equal "files of clocks" "a.b.clock a.clock" "$(find . -name '*.clock' -printf '%P\n' | sort | xargs)"

# What is not the host's own, or lies deeper, is somebody else's.
mkdir -p other a/a "$TMP/flat/run"
cp -p a/*.lks a.b/*.lks *.clock "$TMP/flat/run"
cp a/a.*.lks other
cp a/a.*.lks a/a
for ask in "count run" "cat run" "verify run" "info run" "align run" "clock run" "diagnose run" \
  "report run -o report" "export run --to csv -o csv" "export run --to perfetto -o perfetto" "runs show run --json"; do
  for place in hosts flat; do
    rc=0
    cd "$TMP/$place"
    # shellcheck disable=SC2086
    "$lockstep" $ask >"$TMP/$place.out" 2>&1 || rc=$?
    echo "exit code $rc" >>"$TMP/$place.out"
  done
  grep -qE '^exit code [01]$' "$TMP/hosts.out" || fail "$ask: $(tail -3 "$TMP/hosts.out")"
  sed -i -E 's/run\/a(\.b)?\//run\//g; s/in [0-9.]+ m?s$//' "$TMP/hosts.out" "$TMP/flat.out"
  cmp "$TMP/hosts.out" "$TMP/flat.out" || fail "$ask: $(diff "$TMP/hosts.out" "$TMP/flat.out" | head -10)"
done
for made in report csv perfetto; do
  diff -r "$TMP/hosts/$made" "$TMP/flat/$made" >"$TMP/diff" || fail "$made: $(head -c 1000 "$TMP/diff")"
done
want_equal "processes" 4 "$("$lockstep" info "$TMP/hosts/run" --json | jq '.processes | length')"
rm -r "$TMP/hosts/run/other" "$TMP/hosts/run/a/a"
want_equal "one host alone" 2 "$("$lockstep" info "$TMP/hosts/run/a" --json | jq '.processes | length')"
want_equal "runs in the folder of runs" '["run"]' "$("$lockstep" runs list "$TMP/hosts" --json | jq -c 'map(.run)')"
want_equal "runs in a run" '[]' "$("$lockstep" runs list "$TMP/hosts/run" --json | jq -c 'map(.run)')"
rc=0
"$lockstep" count "$TMP/flat" 2>"$TMP/err" || rc=$?
want_equal "count of the folder of runs" 3 "$rc"
grep -q "flat: no lockstep segments" "$TMP/err" || fail "the folder of runs: $(cat "$TMP/err")"

# A living process is found and asked; a killed one's last records come into its host's directory.
LOCKSTEP_HOST=c "${emulate[@]}" 1000000 >/dev/null 2>&1 &
job=$!
trap 'pkill -9 -P $job || true; kill -9 $job || true; rm -rf "$TMP"' EXIT
answers() { { "$lockstep" ctl "$TMP/hosts/run" status 2>/dev/null || true; } | jq -r .pid | sort | xargs; }
for _ in $(seq 600); do
  ranks=$(answers)
  [ "$(wc -w <<<"$ranks")" = 2 ] && break
  sleep 0.1
done
want_equal "processes that answer" 2 "$(wc -w <<<"$ranks")"
"$lockstep" ctl "$TMP/hosts/run" flush >/dev/null
# shellcheck disable=SC2086
kill -9 $ranks
wait $job || true
trap 'rm -rf "$TMP"' EXIT
for _ in $(seq 600); do
  "$lockstep" recover "$TMP/hosts/run" >"$TMP/recover" || true
  [ -z "$(find "$TMP/hosts/run" -name '*.arena')" ] && break
  sleep 0.1
done
want_equal "arenas left" "" "$(find "$TMP/hosts/run" -name '*.arena')"
want_equal "segments outside of their hosts' directories" "" "$(find "$TMP/hosts/run" -maxdepth 1 -name '*.lks')"
[ "$(find "$TMP/hosts/run/c" -name 'c.*.1.lks' | wc -l)" -ge 1 ] || fail "nothing was recovered: $(cat "$TMP/recover")"
"$lockstep" verify "$TMP/hosts/run" >"$TMP/verify" || fail "after a kill: $(cat "$TMP/verify")"

# Removed with its host directories, but for what lockstep has not made.
touch "$TMP/hosts/run/c/mine.txt"
"$lockstep" runs rm --yes "$TMP/hosts/run" >/dev/null 2>&1
want_equal "what was not lockstep's stays" "run run/c run/c/mine.txt" "$(cd "$TMP/hosts" && find run | sort | xargs)"
