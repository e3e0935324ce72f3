#!/usr/bin/env bash
# Signals, stops, clocks that jump, sandboxes. LONG=1 stops the process for 10 s instead of 1.
# shellcheck disable=SC2034,SC2154  # lib.sh shares its variables
. "$(dirname "$0")/lib.sh"
need_strace
if [ -n "${LONG:-}" ]; then stop_s=10; else stop_s=1; fi

# With a dump every second some 50,000 records wait for a chunk, which 20,000 bytes cannot hold on any machine.
for limit in 60000 20000 1000; do
  begin "files of at most $limit bytes (RLIMIT_FSIZE, SIGXFSZ)"
  interval_us=$LOCKSTEP_DUMP_INTERVAL_US
  if [ $limit = 20000 ]; then interval_us=1000000; fi
  LOCKSTEP_DUMP_INTERVAL_US=$interval_us start_storm prlimit --fsize=$limit:unlimited -- --rate 4000
  let_calls_go_on 400000
  if [ $limit != 1000 ]; then
    end_storm
    want_exact
    [ "$(find "$dir" -name '*.lks' | wc -l)" -gt 1 ] || wrong "one segment was enough: no limit was met"
    ! grep -q 'cannot write' "$err" || wrong "a file that is full is no failure, but one was said"
  else
    wait_for_log 'cannot write: File too large'
    WAITING_KIB=40960 end_storm
    want_said 'the last records are lost'
    if "$LOCKSTEP" verify "$dir" >"$TMP/verify" 2>&1; then wrong "verify calls complete what is not"; fi
    recorded='what fitted; verify says that the end is missing'
  fi
  want_said 'crash safety is off: no memory file of .* \(File too large\)'
  end_row
done

begin "SIGKILL"
start_storm
let_calls_go_on 20000
kill -KILL "$(storm_pid)"
end_storm 137
left=$(returned)
"$LOCKSTEP" recover "$dir" >"$TMP/recover" || { cat "$TMP/recover"; wrong "recover failed"; }
"$LOCKSTEP" verify "$dir" >"$TMP/verify" || { cat "$TMP/verify"; wrong "verify found a difference"; }
kept=$("$LOCKSTEP" count "$dir" --json | jq '([.starts[]] | add // 0) + .states + .stops')
[ "$kept" -ge "$left" ] && [ "$kept" -le $((left + 2)) ] || wrong "$left calls had returned, $kept are recorded"
want_no_memory_file
recorded="all $left calls that had returned, after recover"
end_row

begin "SIGTERM, and the host has a handler of its own"
start_storm
let_calls_go_on 20000
kill -TERM "$(storm_pid)"
end_storm
want_exact
by=$(jq -r .stopped_by "$out")
[ "$by" = lockstep-storm ] || wrong "the handler ran on the thread '$by'"
want_silence
end_row

begin "SIGSTOP for $stop_s s, then SIGCONT"
start_storm
let_calls_go_on 20000
kill -STOP "$(storm_pid)"
sleep "$stop_s"
kill -CONT "$(storm_pid)"
let_calls_go_on 20000
STOPPED_S=$stop_s end_storm
want_exact
want_silence
end_row

begin "the host blocks every signal"
start_storm python3 -c 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
os.execvp(sys.argv[1], sys.argv[1:])' -- --rate 1000
let_calls_go_on 20000
blocked=$(awk '/^SigBlk/ {print $2}' "/proc/$(storm_pid)/status")
[[ $blocked == f*fe[73]ff?e?f* || $blocked != *0000* ]] || wrong "the host's signal mask is now $blocked"
end_storm
want_exact
want_silence
end_row

begin "every clock_gettime is a system call, and the thread's processor time is refused (seccomp)"
LD_PRELOAD=$BUILD/test/libsandbox.so start_storm
let_calls_go_on 20000
end_storm
want_exact
want_silence
end_row

# libfaketime moves REALTIME alone; the program reads the offset anew at every call.
library=$(compgen -G '/usr/lib/*/faketime/libfaketimeMT.so.1' | head -1) || true
if [ -n "$library" ]; then
  faked() {
    FAKETIME_TIMESTAMP_FILE=$TMP/row/clock FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1 LD_PRELOAD=$library \
      start_storm
  }
  # No operation spans a jump: their times come from the clock that does not jump.
  want_no_long_operation() {
    local longest
    longest=$("$LOCKSTEP" query "$dir" --json "SELECT max(duration_ms) AS longest FROM nccl_trace" 2>/dev/null |
      jq -r '.. | .longest? // empty' | head -1) || true
    [ -z "$longest" ] || jq -en "$longest < 600000" >/dev/null || wrong "an operation took $longest ms"
  }
  begin "REALTIME jumps an hour ahead, then a day back"
  echo '+0' >"$TMP/row/clock"
  faked
  let_calls_go_on 20000
  echo '+3600' >"$TMP/row/clock"
  let_calls_go_on 20000
  echo '-86400' >"$TMP/row/clock"
  let_calls_go_on 20000
  end_storm
  want_exact
  want_no_long_operation
  want_silence
  end_row

  begin "host suspended (stopped, and REALTIME is an hour later)"
  echo '+0' >"$TMP/row/clock"
  faked
  let_calls_go_on 20000
  kill -STOP "$(storm_pid)"
  echo '+3600' >"$TMP/row/clock"
  sleep "$stop_s"
  kill -CONT "$(storm_pid)"
  let_calls_go_on 20000
  STOPPED_S=$stop_s end_storm
  want_exact
  want_no_long_operation
  want_silence
  end_row
else
  echo "skipped: clock jumps; libfaketime is not installed (package faketime)"
fi
