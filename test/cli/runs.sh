#!/usr/bin/env bash
# `lockstep runs` lists and shows the runs of a folder and nothing else, and removes what it was told to and nothing else.
. "$(dirname "$0")/../lib.sh"
need jq jq
for name in $(compgen -e SLURM_); do unset "$name"; done
endless=("$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --ranks 2 --rate 20 --stall-us 30000000)
emulate=("${endless[@]}" --iterations 3)
SLURM_JOB_ID=41 "$BUILD/lockstep" run --dir "$TMP/runs" -- "${emulate[@]}" >/dev/null 2>&1
LOCKSTEP_DIR=$TMP/runs/by-hand "${emulate[@]}" >/dev/null
mkdir "$TMP/runs/no-run"
want_equal "runs" '[["by-hand","","ended",2,0],["lockstep-41.0","41","ended",2,0]]' \
  "$("$BUILD/lockstep" runs list "$TMP/runs" --json | jq -c 'map([.run, .job, .state, .processes, .lost])')"
listed() { "$BUILD/lockstep" runs list "$TMP/runs" --json "$@" | jq -r 'map(.run) | join(" ")'; }
want_equal "runs of a job" lockstep-41.0 "$(listed --job 41)"
want_equal "runs of another job" "" "$(listed --job 4)"
want_equal "runs by name" by-hand "$(listed --name hand)"
want_equal "runs that ended" "by-hand lockstep-41.0" "$(listed --state ended)"
want_equal "runs that are running" "" "$(listed --state running)"
want_equal "lines" 3 "$("$BUILD/lockstep" runs list "$TMP/runs" | wc -l)"
rc=0
"$BUILD/lockstep" runs list "$TMP/nothere" 2>/dev/null || rc=$?
want_equal "exit code for a folder that is not there" 3 "$rc"
want_equal "clock and ranks" '["one host",2]' "$("$BUILD/lockstep" runs list "$TMP/runs" --json | jq -c '.[0] | [.clock, .ranks]')"

# A program that records nothing makes a run as well, which can be listed and removed.
"$BUILD/lockstep" run --dir "$TMP/runs" -- true 2>/dev/null
nothing=$(cd "$TMP/runs" && echo lockstep-*-*)
want_equal "a run that recorded nothing" '["nothing recorded",0,"true"]' \
  "$("$BUILD/lockstep" runs list "$TMP/runs" --json | jq -c ".[] | select(.run == \"$nothing\") | [.state, .processes, .command]")"
mkdir "$TMP/runs/junk"
echo junk >"$TMP/runs/junk/host.1.0.lks"
want_equal "a run of junk" unreadable "$("$BUILD/lockstep" runs show "$TMP/runs/junk" --json | jq -r .state)"
"$BUILD/lockstep" runs rm --yes "$TMP/runs/$nothing" "$TMP/runs/junk" >/dev/null || fail "rm of a run that recorded nothing"
want_equal "what is left" "by-hand lockstep-41.0 no-run" "$(cd "$TMP/runs" && echo *)"

# Two hosts: not aligned, then graded.
for host in a b; do
  LOCKSTEP_HOST=$host LOCKSTEP_DIR=$TMP/two "${emulate[@]}" >/dev/null
done
clock() { "$BUILD/lockstep" runs show "$TMP/two" --json | jq -r .clock; }
want_equal "before align" "not aligned" "$(clock)"
"$BUILD/lockstep" align "$TMP/two" >/dev/null || true
[[ $(clock) =~ ^(good|usable|bad)$ ]] || fail "after align: $(clock)"

want_equal "show" '["lockstep-41.0","41","ended","0"]' \
  "$("$BUILD/lockstep" runs show "$TMP/runs/lockstep-41.0" --json | jq -c '[.run, .job, .state, .exit_code]')"
"$BUILD/lockstep" runs show "$TMP/runs/lockstep-41.0" | grep -q '^command .*lockstep-emulate' || fail "show has no command"

# rm asks; without anybody to ask it removes nothing, and never what it did not make.
names() { (cd "$TMP/runs" && echo *); }
exits() { rc=0; "$BUILD/lockstep" runs "$@" </dev/null >"$TMP/out" 2>&1 || rc=$?; echo "$rc"; }
want_equal "rm with nobody to ask" 2 "$(exits rm "$TMP/runs/by-hand")"
want_equal "rm of what is no run" 3 "$(exits rm --yes "$TMP/runs/by-hand" "$TMP/runs/no-run")"
want_equal "nothing was removed" "by-hand lockstep-41.0 no-run" "$(names)"
if script -qec true /dev/null >/dev/null 2>&1; then
  echo n | script -qec "'$BUILD/lockstep' runs rm '$TMP/runs/by-hand'" /dev/null >/dev/null
  want_equal "the answer is no" "by-hand lockstep-41.0 no-run" "$(names)"
else
  echo "not asked: script (package bsdutils) cannot make a terminal here"
fi
touch "$TMP/runs/by-hand/mine.txt"
want_equal "rm" 0 "$(exits rm --yes "$TMP/runs/by-hand")"
want_equal "what was not lockstep's stays" "mine.txt" "$(ls "$TMP/runs/by-hand")"
rm -r "$TMP/runs/by-hand"

# A run that is being written stays.
LOCKSTEP_DIR=$TMP/runs/alive "${endless[@]}" --iterations 1000000 >/dev/null &
pid=$!
until [ "$("$BUILD/lockstep" runs show "$TMP/runs/alive" --json 2>/dev/null | jq -r .state)" = running ]; do
  kill -0 "$pid" || fail "the run has ended"
  sleep 0.1
done
want_equal "rm of a running one" 3 "$(exits rm --yes "$TMP/runs/alive")"
for job in 50 51 52; do
  SLURM_JOB_ID=$job "$BUILD/lockstep" run --dir "$TMP/runs" -- "${emulate[@]}" >/dev/null 2>&1
done
find "$TMP/runs/lockstep-50.0" "$TMP/runs/lockstep-41.0" -name '*.lks' -exec touch -d '10 days ago' {} +
find "$TMP/runs/lockstep-51.0" -name '*.lks' -exec touch -d '5 days ago' {} +
want_equal "prune with nothing said" 2 "$(exits prune "$TMP/runs" --yes)"
want_equal "prune by age" 0 "$(exits prune "$TMP/runs" --older-than 7 --yes)"
want_equal "older than 7 days" "alive lockstep-51.0 lockstep-52.0 no-run" "$(names)"
# It does not grow while sizes are compared.
everybody() { kill "-$1" "$pid" $(pgrep -P "$pid"); }
everybody STOP
size=$("$BUILD/lockstep" runs list "$TMP/runs" --json | jq 'map(select(.run != "lockstep-51.0") | .bytes) | add')
want_equal "prune by size" 0 "$(exits prune "$TMP/runs" --keep $((size + 100000)) --yes)"
want_equal "all fit" "alive lockstep-51.0 lockstep-52.0 no-run" "$(names)"
want_equal "prune by size" 0 "$(exits prune "$TMP/runs" --keep $((size + 100)) --yes)"
want_equal "the oldest goes first" "alive lockstep-52.0 no-run" "$(names)"
everybody CONT
everybody KILL
wait "$pid" || true
# Nothing stays in memory.
for _ in $(seq 600); do
  "$BUILD/lockstep" recover "$TMP/runs/alive" >/dev/null || true
  [ -z "$(find "$TMP/runs/alive" -name '*.arena')" ] && exit 0
  sleep 0.1
done
fail "not recovered: $(find "$TMP/runs/alive")"
