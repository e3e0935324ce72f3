#!/usr/bin/env bash
# timeout: 180
# `lockstep collect --agents`: four hosts without a shared folder, in network namespaces. What they recorded comes over
# their agents into one run directory, what was killed included; it is compared before anything is removed, continues
# where it was interrupted, and loses nothing.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
lockstep=$BUILD/lockstep
DEST=$TMP/run
sums() { (cd "$1" && find . \( -name '*.lks' -o -name '*.load' \) -exec sha256sum {} + | sort -k 2); }
left() { find "$TMP"/n?/run -name '*.lks' -o -name '*.load' | wc -l; }
# record HOSTS OPTIONS...: two ranks on each of these hosts, recorded to its own folder
record() {
  local hosts=$1 n
  shift
  for n in $hosts; do
    on "$n" env LOCKSTEP_DIR="$TMP/n$n/run/%h" LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 "$BUILD/lockstep-emulate" --ranks 2 --seed "$n" \
      --iterations 300 --stall-us 30000000 "$@" "$BUILD/libnccl-profiler.so" >"$TMP/job$n" 2>&1 || true
    echo "stands for what was sampled" >"$TMP/n$n/run/n$n/n$n.load"  # collect goes by its name
  done
}
# shellcheck disable=SC2120  # through want_exit
collect() { ask collect --to "$DEST" "$@"; }
# all that lies on the hosts, as it will lie in one folder
all_sums() { for n in $HOSTS; do sums "$TMP/n$n/run"; done | sort -k 2; }
# capture_on FOLDER ID: a capture of that run, with what it kept
capture_on() {
  mkdir -p "$1/captures/$2"
  echo "{\"id\":\"$2\",\"ranks\":[]}" >"$1/captures/$2.json"
  echo "stands for the copy of a segment" >"$1/captures/$2/n1.1.0.lks"
  echo "stands for the clock model" >"$1/captures/$2/clock_model.json"
}
all_of() { (cd "$1" && find captures -type f -exec sha256sum {} + | sort -k 2); }
make_cluster
record "$HOSTS"
for n in $HOSTS; do start_agent "$n" --stay; done

echo "a job that still records is left alone, the others' recordings come"
before=$(all_sums)
start_job 4 2 --iterations 1000000 --rate 5 --stall-us 100000000
wait_for 60 "that two ranks record on n4" sockets_are 4 2
want_exit 1 collect --json
want_equal "who failed" "10.79.0.4:4711" "$(jq -r '.failed[].host' "$TMP/out")"
grep -q "still records to it" "$TMP/out" || fail "no sentence: $(cat "$TMP/out")"
want_equal "files of each" "3 3 3" "$(jq -r '[.collected[].files] | join(" ")' "$TMP/out")"
want_equal "bytes" "$(cat "$DEST"/n?/* | wc -c)" "$(jq "[.collected[].bytes] | add" "$TMP/out")"
want_equal "files" "$(grep -v /n4/ <<<"$before")" "$(sums "$DEST")"
[ -z "$(find "$TMP"/n[123]/run -name 'n?.*' ! -path '*/agents/*')" ] || fail "left behind: $(find "$TMP"/n[123]/run)"

echo "what was killed is recovered there, and comes"
kill -KILL "${JOB[4]}"
for pid in $(ip netns pids "lsl4-$$"); do [ "$pid" = "${AGENT[4]}" ] || kill -KILL "$pid" 2>/dev/null || true; done
wait "${JOB[4]}" || true
want_exit 0 collect
grep -q "^10.79.0.1:4711: 0 files, 0 bytes" "$TMP/out" || fail "it collected again: $(cat "$TMP/out")"
want_equal "recordings left on the hosts" 0 "$(left)"
"$lockstep" verify "$DEST" >"$TMP/verify" || fail "what was collected is not complete: $(cat "$TMP/verify")"
want_equal "hosts" "n1 n2 n3 n4" "$("$lockstep" info "$DEST" --json | jq -r '[.processes[].host] | unique | join(" ")')"

echo "interrupted in the middle of a file, it copies only what is lacking"
rm -rf "$DEST"
record "1 2"
before=$(for n in 1 2; do sums "$TMP/n$n/run"; done | sort -k 2)
all=$(cat "$TMP"/n[12]/run/n?/n* | wc -c)
(ulimit -f 8; collect >/dev/null 2>"$TMP/err") && fail "the limit did not interrupt it"
want_equal "nothing is named before it is whole" "" "$(find "$DEST" -name '*.lks')"
want_equal "nothing is lost" "$before" "$(for n in 1 2; do sums "$TMP/n$n/run"; done | sort -k 2)"
half=$(cat "$DEST"/n?/*.part | wc -c)
[ "$half" -gt 0 ] || fail "nothing was copied before the limit: $(cat "$TMP/err")"
want_exit 0 collect --json
want_equal "bytes copied by the second call" $((all - half)) "$(jq "[.collected[].bytes] | add" "$TMP/out")"
want_equal "files" "$before" "$(sums "$DEST")"

echo "an agent that is killed in the middle is named; the next one goes on"
rm -rf "$DEST"
record "1 2 3"
before=$(for n in 1 2 3; do sums "$TMP/n$n/run"; done | sort -k 2)
kill -KILL "${AGENT[2]}"
want_exit 1 collect --json
want_equal "who failed" "10.79.0.2:4711" "$(jq -r '.failed[].host' "$TMP/out")"
want_equal "files of the others" "$(grep -v /n2/ <<<"$before")" "$(sums "$DEST")"
start_agent 2 --stay
want_exit 0 collect
want_equal "files" "$before" "$(sums "$DEST")"

echo "neither a part nor a file of the same name is trusted"
rm -rf "$DEST"
record "1 2"
before=$(for n in 1 2; do sums "$TMP/n$n/run"; done | sort -k 2)
mkdir -p "$DEST/n1" "$DEST/n2"
first=$(cd "$TMP/n1/run/n1" && echo *.0.lks | cut -d' ' -f1)
other=$(cd "$TMP/n2/run/n2" && echo *.0.lks | cut -d' ' -f1)
head -c 1000 /dev/urandom >"$DEST/n1/$first.part"
echo other >"$DEST/n2/$other"
want_exit 1 collect
grep -q "host 10.79.0.2:4711: $DEST/n2/$other is there and is not n2/$other of" "$TMP/err" || fail "no sentence: $(cat "$TMP/err")"
[ -e "$TMP/n2/run/n2/$other" ] || fail "the original is gone"
want_equal "files of n1" "$(grep /n1/ <<<"$before")" "$(sums "$DEST" | grep /n1/)"
rm "$DEST/n2/$other"
# Copied already, and not removed: only that is done.
cp "$TMP/n2/run/n2/$other" "$DEST/n2"
want_exit 0 collect
want_equal "files" "$before" "$(sums "$DEST")"
want_equal "recordings left on the hosts" 0 "$(left)"

echo "captures come with them, those of a folder that hosts share from one of them"
rm -rf "$DEST"
record "1 2"
capture_on "$TMP/n1/run" capture-a
capture_on "$TMP/n2/run" capture-b
rm -rf "$TMP/n3/run" && ln -s "$TMP/n2/run" "$TMP/n3/run"
before=$(for n in 1 2; do all_of "$TMP/n$n/run"; done | sort -k 2)
want_exit 0 collect
want_equal "captures" "$before" "$(all_of "$DEST")"
want_equal "captures left on the hosts" "" "$(ls -d "$TMP"/n[12]/run/captures 2>/dev/null)"
want_equal "the list of them" "capture-a capture-b" "$("$lockstep" captures list "$DEST" --json | jq -r 'map(.id) | join(" ")')"

echo "wrong usage, and another key"
want_exit 3 on 1 "$lockstep" collect --to "$DEST" --agents "$AGENTS" --key "$TMP/wrong"
want_exit 2 on 1 "$lockstep" collect --to "$DEST"
want_exit 2 on 1 "$lockstep" collect "$TMP/n1/run" --to "$DEST" --agents "$AGENTS" --key "$KEY"
