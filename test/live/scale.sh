#!/usr/bin/env bash
# timeout: 1800
# serial
# 128 processes of 8 ranks with an agent each, on this machine: every process is in every answer, an agent stays below
# 64 MiB, and all agents together below 2 % of a core while nobody asks; `ps`, `nodes` and `progress` answer within 2 s, and
# SQL about 1,000 operations of every rank within 10 s and 2 GiB. Prints the tables of docs/live.md. Wants an idle machine.
. "$(dirname "$0")/../lib.sh"
only_when_long "minutes of 128 processes and agents: LONG=1 test/run live/scale"
need jq jq
lockstep=$BUILD/lockstep
export LOCKSTEP_CLOCK=0 LOCKSTEP_BUFFER_MB=32
SHM=$(mktemp -d /dev/shm/lockstep-scale.XXXXXX)  # memory files of killed processes go with it
export LOCKSTEP_SHM_DIR=$SHM
PIDS=()
stop_all() {
  for pid in "${PIDS[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  PIDS=()
}
trap 'stop_all; rm -rf "$SHM" "$TMP"' EXIT
ticks() {  # processor time of the agents, in clock ticks
  for pid in "${AGENTS[@]}"; do cat "/proc/$pid/stat"; done | awk '{sum += $14 + $15} END {print sum + 0}'
}
timed() {  # timed WORDS...: milliseconds of a command whose output is in $TMP/out
  local begin
  begin=$(date +%s%N)
  "$@" >"$TMP/out" 2>"$TMP/err" || fail "'$*': $(tail -3 "$TMP/err")"
  echo $((($(date +%s%N) - begin) / 1000000))
}
wait_for_operations() {  # of the process of this number: a thousand of each rank
  local starts
  for _ in $(seq 600); do
    starts=$("$lockstep" count "$run/n$1" --json 2>/dev/null | jq '.starts.Coll // 0' || true)
    [ "${starts:-0}" -lt 8000 ] || return 0
    sleep 0.2
  done
  fail "no thousand operations by n$1"
}
# measured SQL: wall time and processor time in s, peak memory in MiB of a question over all agents; its output is in $TMP/out
measured() {
  python3 - "$TMP/out" "$lockstep" query --live "$1" "${key[@]}" --last 1h <<'PY'
import resource, subprocess, sys, time
began = time.monotonic()
with open(sys.argv[1], "wb") as out:
    code = subprocess.run(sys.argv[2:], stdout=out).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{time.monotonic() - began:.1f} {used.ru_utime + used.ru_stime:.1f} {used.ru_maxrss / 1024:.0f} {code}")
PY
}
ask_in_sql() {  # ask_in_sql NAME SQL: a line of the second table
  local before wall cpu mib code
  before=$(ticks)
  read -r wall cpu mib code <<<"$(measured "$2")"
  want_equal "exit code of $1" 0 "$code"
  printf '%6d  %-22s  %6.1f s  %6.1f s  %6.1f s  %6d MiB  %6.1f MB\n' "$count" "$1" "$wall" "$cpu" \
    "$(awk -v ticks=$(($(ticks) - before)) -v hz="$(getconf CLK_TCK)" 'BEGIN {print ticks / hz}')" "$mib" \
    "$(jq '.bytes / 1e6' "$TMP/out")" >>"$TMP/queries"
  [ "$mib" -le 2048 ] || fail "$1 took $mib MiB"
  awk -v wall="$wall" 'BEGIN {exit !(wall <= 10)}' || late+=" $count agents, $1: $wall s"
}
: >"$TMP/queries"
late=  # all that took longer than it may, said at the end: the tables are wanted all the same
echo "agents  ps by sockets  ps by TCP  nodes by TCP  progress by TCP  ctl by TCP  agents at rest  largest agent"
for count in 16 64 128; do
  run=$TMP/run$count AGENTS=() addresses=
  mkdir -p "$run"
  for n in $(seq "$count"); do
    # The first one samples its host, as one process of each host does: here they are all of one host.
    LOCKSTEP_HOST_LOAD=$((n == 1)) LOCKSTEP_HOST=n$n LOCKSTEP_DIR=$run/%h "$BUILD/lockstep-emulate" --ranks 8 \
      --ranks-per-process 8 --channels 1 --sizes 1k --rate 0.5 --burst 1000 --iterations 100000 --seed "$n" --stall-us 1e9 "$BUILD/libnccl-profiler.so" >/dev/null 2>&1 &
    PIDS+=($!)
    # A few at a time: a thousand ranks at full speed on two cores would take many times as long.
    [ $((n % 4)) != 0 ] || wait_for_operations "$n"
  done
  for _ in $(seq 600); do
    [ "$(find "$run" -name '*.ctl' | wc -l)" -lt "$count" ] || break
    sleep 0.2
  done
  for n in $(seq "$count"); do
    LOCKSTEP_HOST=n$n "$lockstep" agent "$run" --listen 127.0.0.1:0 >"$TMP/agent$n" 2>&1 &
    AGENTS+=($!) PIDS+=($!)
  done
  for n in $(seq "$count"); do
    for _ in $(seq 600); do grep -q "listens on" "$TMP/agent$n" && break; sleep 0.1; done
    addresses+=,$(sed -n 's/.*listens on //p' "$TMP/agent$n")
  done
  key=(--agents "${addresses#,}" --key "$run/agents/key" --json --timeout 60)
  sleep 3
  before=$(ticks)
  sleep 20
  rest=$(awk -v ticks=$(($(ticks) - before)) -v hz="$(getconf CLK_TCK)" 'BEGIN {printf "%.2f", ticks * 100 / hz / 20}')
  sockets_ms=$(timed env LOCKSTEP_HOST=login "$lockstep" ps "$run" --json --timeout 60)
  want_equal "processes by sockets" "$count" "$(jq '.processes | length' "$TMP/out")"
  ps_ms=$(timed "$lockstep" ps "${key[@]}")
  want_equal "processes by TCP" "$count $count" "$(jq -r '"\(.hosts_answered) \([.processes[].pid] | unique | length)"' "$TMP/out")"
  nodes_ms=$(timed "$lockstep" nodes "${key[@]}")
  progress_ms=$(timed "$lockstep" progress "${key[@]}")
  want_equal "ranks and processes of progress" "$((count * 8))" "$(jq '[.progress[] | [.pid, .rank]] | unique | length' "$TMP/out")"
  ctl_ms=$(timed "$lockstep" ctl status "${key[@]}")
  for ms in "$sockets_ms" "$ps_ms" "$nodes_ms" "$progress_ms"; do
    [ "$ms" -le 2000 ] || late+=" $count agents: $ms ms"
  done
  most_kib=$(for pid in "${AGENTS[@]}"; do sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$pid/status"; done | sort -n | tail -1)
  printf '%6d  %10d ms  %6d ms  %9d ms  %12d ms  %7d ms  %9s %%  %9.1f MiB\n' "$count" "$sockets_ms" "$ps_ms" "$nodes_ms" "$progress_ms" "$ctl_ms" \
    "$rest" "$(awk -v kib="$most_kib" 'BEGIN {print kib / 1024}')"
  [ "$most_kib" -le 65536 ] || fail "an agent took $most_kib KiB"
  awk -v rest="$rest" 'BEGIN {exit !(rest <= 2)}' || fail "all agents at rest took $rest % of a core"
  if "$lockstep" query "$run/n1" "SELECT 1" >/dev/null 2>"$TMP/err"; then
    ask_in_sql "operations of a rank" "SELECT count(*) AS n, count(DISTINCT (process, rank)) AS ranks FROM operations"
    want_equal "ranks in SQL" "$((count * 8)) true" \
      "$(jq -r --argjson count "$count" '.rows[0] | "\(.ranks) \(.n >= $count * 8000)"' "$TMP/out")"
    ask_in_sql "waits by rank" "SELECT rank, sum(wait_ns) AS waited_ns FROM arrivals GROUP BY rank ORDER BY rank"
    want_equal "ranks that waited" 8 "$(jq '.rows | length' "$TMP/out")"
  else
    cat "$TMP/err"
  fi
  stop_all
  rm -f "$SHM"/*
done
echo
echo "agents  query --live            time      asker    agents    asker's memory  sent"
cat "$TMP/queries"
[ -z "$late" ] || fail "slower than \`ps\`, \`nodes\`, \`progress\` in 2 s and SQL in 10 s:$late"
