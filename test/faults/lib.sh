# Sourced by the fault tests. A row is one fault: `begin` names it, something calls the plugin under it
# (lockstep-storm in the background, so that the fault can come and go), and the want_* functions say what must have
# happened to the host, to the recording and in the log. `end_row` prints the row; FAULT_TABLE=FILE also keeps it
# there as a line of docs/measured/faults.md. A fault is taken away when the calls have gone on under it: that they
# go on is what "never stalled" means, and that none of them took a second.
# shellcheck shell=bash
. "$(dirname "${BASH_SOURCE[0]}")/../spine/lib.sh"

export LOCKSTEP_EVENTS=all LOCKSTEP_DUMP_INTERVAL_US=20000
LIMIT_S=60 # for one process or condition: far more than any needs, so that only a hang meets it
# Memory files of their own, so that those left over by a killed process go with the test.
export LOCKSTEP_SHM_DIR=/dev/shm/lockstep-test-$$
mkdir -m 700 "$LOCKSTEP_SHM_DIR"
started=() # processes of this test that may still run
at_end() {
  for process in ${started[@]+"${started[@]}"}; do
    kill -KILL "$process" $(pgrep -f -- "--truth $TMP/") 2>/dev/null || true
  done
  awk -v under="$TMP/" -v shm="$LOCKSTEP_SHM_DIR" 'index($2, under) == 1 || $2 == shm {print $2}' /proc/mounts |
    xargs -r umount -l
  rm -rf "$TMP" "$LOCKSTEP_SHM_DIR"
}
trap at_end EXIT

# Mounts that only this test sees: the script starts itself again in a mount namespace. One of them is for memory files:
# the /dev/shm of a container has 64 MiB for all tests together, and a fault may fill the buffers up to their cap.
in_mount_namespace() {
  if [ -n "${IN_MOUNT_NAMESPACE:-}" ]; then
    mount -t tmpfs -o size=512m,mode=700 none "$LOCKSTEP_SHM_DIR"
    return
  fi
  unshare -m --propagation private true 2>/dev/null || skip "no mount namespaces here"
  rm -rf "$TMP" "$LOCKSTEP_SHM_DIR"
  IN_MOUNT_NAMESPACE=1 exec unshare -m --propagation private "$0" "$@"
}
# STRACE injects faults into system calls of the storm: "${STRACE[@]}" -e inject=... COMMAND.
need_strace() {
  need strace strace
  strace -f -qq -o /dev/null -e trace=pwrite64 --seccomp-bpf true 2>/dev/null || skip "strace may not trace here"
  STRACE=(strace -f -qq -o "$TMP/strace" --seccomp-bpf)
}

begin() { # begin NAME: the fault of this row
  row=$1 said='' recorded='' host=''
  dir=$TMP/row/run truth=$TMP/row/truth stop=$TMP/row/stop out=$TMP/row/out err=$TMP/row/err
  rm -rf "$TMP/row"
  mkdir "$TMP/row"
  export LOCKSTEP_DIR=$dir
}
wrong() { echo "--- the log:"; head -20 "$err"; fail "$row: $*"; }

# start_storm [WRAPPER... --] ARGUMENTS...: in the background, until end_storm, or --operations as many.
start_storm() {
  local wrapper=()
  if [[ " $* " == *" -- "* ]]; then
    while [ "$1" != -- ]; do wrapper+=("$1"); shift; done
    shift
  fi
  [ $# != 0 ] || set -- --rate 1000 # 82,000 calls a second
  [[ " $* " == *" --operations "* ]] || set -- --until "$stop" "$@"
  timeout -k 5 "$LIMIT_S" ${wrapper[@]+"${wrapper[@]}"} "$BUILD/lockstep-storm" "$PLUGIN" --truth "$truth" "$@" \
    >"$out" 2>"$err" &
  storm=$!
  started+=("$storm")
}
# Calls that have returned, by the storm's own count: 3 x 16 numbers of 8 bytes.
returned() { od -An -v -t u8 -w8 -N $((3 * 16 * 8)) "$truth" 2>/dev/null | awk '{n += $1} END {print n + 0}'; }
wait_until() { # wait_until WHAT COMMAND...
  local what=$1 deadline=$((SECONDS + LIMIT_S))
  shift
  until "$@"; do
    [ $SECONDS -lt $deadline ] || wrong "waited $LIMIT_S s for this: $what"
    kill -0 "$storm" 2>/dev/null || wrong "the host ended before this: $what"
    sleep 0.05
  done
}
has_returned() { [ "$(returned)" -ge "$1" ]; }
# The calls go on: so many more return.
let_calls_go_on() { wait_until "$1 more calls return" has_returned $(($(returned) + $1)); }
log_has() { grep -qsE "$1" "$err"; }
wait_for_log() { wait_until "the log says: $1" log_has "$1"; }
# The process itself, not strace's or timeout's.
storm_pid() { pgrep -f -- "^$BUILD/lockstep-storm .*--truth $truth" | head -1; }

end_storm() { # the storm ends by itself; its status must be 0 or the one given
  touch "$stop"
  local rc=0
  wait "$storm" || rc=$?
  started=()
  [ $rc != 124 ] && [ $rc != 137 ] || [ "${1:-0}" = $rc ] || wrong "the host hung, and was killed after $LIMIT_S s"
  [ $rc = "${1:-0}" ] || wrong "the host ended with status $rc, expected ${1:-0}"
  host="exit status $rc"
  [ $rc != 0 ] || { want_no_hang; want_nothing_left; }
}
# No event call took 1 s, and STOPPED_S more where the test itself had stopped the process.
want_no_hang() {
  local longest_us
  longest_us=$(jq .longest_call_us "$out")
  [ "$longest_us" -lt $(((1 + ${STOPPED_S:-0}) * 1000000)) ] || wrong "one call took $longest_us us"
  host+=", longest call $(awk "BEGIN {printf \"%.3f\", $longest_us / 1000}") ms"
}
# After its last communicator the process has no thread of ours, of files only the memory file and the run directory,
# and of memory no more than the blocks kept ahead (8 MiB), tables, and what could not be written (WAITING_KIB);
# after many communicators no more than after two. Mappings come and go with malloc's own.
want_nothing_left() {
  jq -e --argjson waiting_kib "${WAITING_KIB:-0}" '(.last | map(. > 0) | all)
         and .last.threads <= .first.threads
         and .last.files <= .first.files + 2 and .last.files <= .second.files
         and .last.mappings <= .first.mappings + 32 and .last.mappings <= .second.mappings + 4
         and .last.memory_kib <= .first.memory_kib + 16384 + $waiting_kib' "$out" >/dev/null ||
    wrong "threads, files, mappings or memory grew: $(jq -c '[.first, .second, .last]' "$out")"
}

# One sentence about it, and not one more: those that match, without what differs from run to run.
want_said() {
  local count
  count=$(grep -cE "$1" "$err") || true
  [ "$count" = 1 ] || wrong "the log says $count times what it should say once: $1"
  said+="${said:+; }$(grep -E "$1" "$err" | sed -E "s/^.*lockstep: //; s#$dir/[^ :]*#FILE#g; s#$dir#DIR#g
    s#[^ ]*/lockstep-[0-9]*-[0-9a-f]*[.]blocks#BLOCKS#g; s#$LOCKSTEP_SHM_DIR#SHM#g")"
}
want_silence() { ! grep -q 'lockstep: ' "$err" || wrong "something was said, nothing should have been"; }
# Every call the storm made is in the run, and nothing else.
want_exact() {
  want_recorded "$row" "$(cat "$out")" "$dir"
  recorded+="${recorded:+; }all $(made) calls"
}
made() { jq '[(.starts, .states, .stops) | .[]] | add' "$out"; }
# verify holds, and every call is recorded or counted as lost for one of these reasons (and at least one is lost).
want_exact_or_counted() { # REASON...
  local json lost
  "$LOCKSTEP" verify "$dir" >"$TMP/verify" || { cat "$TMP/verify"; wrong "verify found a difference"; }
  json=$("$LOCKSTEP" verify "$dir" --json)
  want_equal "$row: calls in the ledger" "$(made)" "$(jq .calls <<<"$json")"
  lost=$(jq .lost <<<"$json")
  [ "$lost" -gt 0 ] || wrong "nothing was lost: the fault had no effect"
  recorded+="${recorded:+; }$(made) calls, $lost of them counted ($*)"
}
want_nothing_recorded() {
  [ -z "$(find "$dir" -name '*.lks' 2>/dev/null)" ] || wrong "there are segments"
  recorded='nothing'
}
want_no_memory_file() { [ -z "$(ls "$LOCKSTEP_SHM_DIR")" ] || wrong "a memory file was left: $(ls "$LOCKSTEP_SHM_DIR")"; }

end_row() {
  echo "ok: $row | $host | ${recorded:--} | ${said:-nothing}"
  if [ -n "${FAULT_TABLE:-}" ]; then echo "| $row | $host | ${recorded:--} | ${said:-nothing} |" >>"$FAULT_TABLE"; fi
}
