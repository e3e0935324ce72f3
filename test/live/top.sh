#!/usr/bin/env bash
# `lockstep top` in a real terminal: it shows the hang, follows the terminal's size, scrolls, quits on q and leaves the
# terminal as it was, also when a signal ends it; without a terminal, ncurses or a known TERM it says so.
. "$(dirname "$0")/../lib.sh"
need tmux tmux
need jq jq
lockstep=$BUILD/lockstep
run=$TMP/run
LOCKSTEP_DIR=$run LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 "$BUILD/lockstep-emulate" --ranks 3 --iterations 100000 --rate 50 \
  --comms 6 --hang-rank 1 --at 20 --stall-us 600000000 "$BUILD/libnccl-profiler.so" >"$TMP/counts" 2>&1 &
job=$!
. "$(dirname "$0")/screen.sh"
cleanup() {
  terminal kill-server 2>/dev/null || true
  # shellcheck disable=SC2046
  kill $job $(find "$run" -name '*.ctl' 2>/dev/null | sed 's/.*\.\([0-9]*\)\.ctl/\1/') 2>/dev/null || true
  wait
  rm -rf "$TMP"
}
trap cleanup EXIT

for _ in $(seq 100); do
  [ "$(find "$run" -name '*.ctl' 2>/dev/null | wc -l || true)" = 3 ] && break
  sleep 0.1
done
# A shell that shows no more than the exit code of what it ran, and its terminal's settings before and after.
terminal new-session -d -s top -x 100 -y 14 -- env -i PATH="$PATH" TERM=screen PS1='shell> ' bash --norc --noprofile
sees "no shell" '^shell>'
type "stty -a >$TMP/before; $lockstep top $run; echo ended with \$?; stty -a >$TMP/after" Enter
sees "the title" '^lockstep top .*1 of 1 hosts +q quits'
sees "the processes' memory and disk" '^3 processes, .* MB in memory .* an hour, lag .*, 0 calls not kept$'
sees "who keeps whom waiting" 'world.*: ranks 0,2 in AllReduce #[0-9]+ for .*; rank 1 has not called it'
sees "the rate" 'world.* 3 ranks: [0-9.]+ operations/s a rank, [0-9.]+ GB/s a rank'
grep -q 'shell>' "$TMP/screen" && fail "the shell's lines are on the screen: $(cat "$TMP/screen")"

type Down
sees "scrolled down by one line, the title stays" '^lockstep top '
for _ in $(seq 100); do
  screen >"$TMP/screen"
  grep -q '^3 processes' "$TMP/screen" || break
  sleep 0.1
done
! grep -q '^3 processes' "$TMP/screen" || fail "the arrow does not scroll: $(cat "$TMP/screen")"
type Home
sees "back at the top" '^3 processes'

# It follows the terminal's size: more lines than 14 come to be seen, and lines are cut to the width.
lines_shown() { screen | grep -c '[^ ]' || true; }
[ "$(lines_shown)" -le 14 ] || fail "more than the terminal has"
terminal resize-window -t top -x 60 -y 45
for _ in $(seq 100); do
  [ "$(lines_shown)" -gt 20 ] && break
  sleep 0.1
done
[ "$(lines_shown)" -gt 20 ] || fail "a larger terminal shows no more: $(screen)"
sees "the title again" '^lockstep top '

type q
sees "how it ended" '^ended with 0'
for _ in $(seq 50); do
  [ -s "$TMP/after" ] && break
  sleep 0.1
done
# Its size was changed meanwhile.
diff <(sed 's/rows [0-9]*; columns [0-9]*//' "$TMP/before") <(sed 's/rows [0-9]*; columns [0-9]*//' "$TMP/after") ||
  fail "the terminal is not as it was"
sees "the shell's own lines again" '^shell>$'

# A signal ends it: the terminal is restored all the same.
rm "$TMP/after"
type "clear; $lockstep top $run; echo ended with \$?; stty -a >$TMP/after" Enter
sees "the title" '^lockstep top '
pkill_top() { pgrep -f "^$lockstep top $run" | while read -r pid; do kill "$pid"; done; }
pkill_top
sees "how a signal ended it" '^ended with [0-9]+'
for _ in $(seq 50); do
  [ -s "$TMP/after" ] && break
  sleep 0.1
done
diff <(sed 's/rows [0-9]*; columns [0-9]*//' "$TMP/before") <(sed 's/rows [0-9]*; columns [0-9]*//' "$TMP/after") ||
  fail "after a signal the terminal is not as it was"

# Without the folder, through an agent: the same page.
start_agent_here "$run"
terminal resize-window -t top -x 100 -y 45
type "clear; $lockstep top --agents $AGENT_ADDRESS --key $AGENT_KEY; echo ended with \$?" Enter
sees "the title over an agent" '^lockstep top .*1 of 1 hosts +q quits'
sees "who keeps whom waiting, over an agent" 'world.*: ranks 0,2 in AllReduce #[0-9]+ for .*; rank 1 has not called it'
kill -KILL "$AGENT_PID"
sees "that the agent is gone" '0 of 1 hosts|nobody listens there|no host answered'
type q
sees "how it ended" '^ended with 0'

# The job ends: it says so and stays until q.
type "clear; $lockstep top $run; echo ended with \$?" Enter
sees "the title" '^lockstep top '
# shellcheck disable=SC2046
kill $(find "$run" -name '*.ctl' | sed 's/.*\.\([0-9]*\)\.ctl/\1/')
sees "that the job is gone" 'The job has ended|^No process|no process'
type q
sees "how it ended" '^ended with 0'

code=0
"$lockstep" top "$run" </dev/null >"$TMP/out" 2>"$TMP/err" || code=$?
want_equal "exit code without a terminal" 2 $code
grep -q 'lockstep progress' "$TMP/err" || fail "no word on what else to do: $(cat "$TMP/err")"
type "clear; TERM=nonsense $lockstep top $run; echo ended with \$?" Enter
sees "an unknown terminal" 'TERM=nonsense'
sees "its exit code" '^ended with 2'
