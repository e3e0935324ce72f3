# Sourced by the prober's scripts after lib.sh: hosts in network namespaces, virtual clocks, and the check of what was
# recorded against the truth. Addresses are loopback or 10.77.x.x inside namespaces made here.
# shellcheck shell=bash disable=SC2034
CLOCKD=$BUILD/lockstep-clockd
CHECK=$BUILD/lockstep-clockcheck
RUN=$TMP/run
mkdir -p "$RUN"
X0=$("$CHECK" --now)
NAMESPACES=()
PIDS=()
clean_up() {
  local pid name
  for pid in "${PIDS[@]:-}"; do [ -z "$pid" ] || kill "$pid" 2>/dev/null || true; done
  for name in "${NAMESPACES[@]:-}"; do [ -z "$name" ] || ip netns del "$name" 2>/dev/null || true; done
  rm -rf "$TMP"
}
trap clean_up EXIT

# clock N: the virtual clock of host number N; number 0 runs true.
clock() {
  local skew=$((($1 * 17) % 61 - 30))
  if [ "$1" = 0 ]; then echo "x0_ns=$X0"; else
    echo "offset_ns=$(($1 * 1230000000)),skew_ppm=$skew,wander_ppm=0.05,wander_period_s=10,x0_ns=$X0"
  fi
}

need_namespaces() {
  need ip iproute2
  need tc iproute2
  local probe=lsprobe$$
  ip netns add "$probe" 2>/dev/null || skip "network namespaces are not permitted here"
  # In a chroot whose / is no mount point a namespace can be made and nothing run in it.
  local works=1
  ip netns exec "$probe" true 2>/dev/null || works=0
  ip netns del "$probe"
  [ $works = 1 ] || skip "nothing can run in a network namespace here: / is not a mount point"
}
add_namespace() { # NAME
  ip netns add "$1"
  NAMESPACES+=("$1")
  ip -n "$1" link set lo up
}
# wire NS1 DEV1 ADDRESS1 NS2 DEV2 ADDRESS2
wire() {
  ip link add "$2" netns "$1" type veth peer name "$5" netns "$4"
  ip -n "$1" addr add "$3" dev "$2"
  ip -n "$4" addr add "$6" dev "$5"
  ip -n "$1" link set "$2" up
  ip -n "$4" link set "$5" up
}
# background COMMAND...: runs it and remembers it for wait_all and for the end
background() {
  "$@" &
  PIDS+=("$!")
}
wait_all() {
  local pid
  for pid in "${PIDS[@]}"; do wait "$pid" || fail "a process of the test ended with $?"; done
  PIDS=()
}
# want_little_work FILE SECONDS: the prober whose last line of counters ends FILE woke up and sent no more than its
# rules allow. Each wake-up has a reason (ten ticks and a flush a second, a train, a rest over, something to read), and
# a busy machine only makes fewer of them: a loop that spins shows on any.
want_little_work() {
  local line sent received wakeups
  line=$(tail -n 1 "$1")
  sent=$(sed -n 's/.* sent=\([0-9]*\).*/\1/p' <<<"$line")
  received=$(sed -n 's/.* received=\([0-9]*\).*/\1/p' <<<"$line")
  wakeups=$(sed -n 's/.* wakeups=\([0-9]*\).*/\1/p' <<<"$line")
  echo "$sent packets sent, $received received, $wakeups wake-ups in $2 s"
  [ "${wakeups:-0}" -gt 0 ] || fail "wake-ups were not counted: $line"
  [ "$wakeups" -le $((12 * ($2 + 1) + 3 * (sent + received))) ] || fail "too many wake-ups: $line"
  [ "$sent" -le $((2000 * ($2 + 1))) ] || fail "the cap of 2000 packets a second was passed: $line"
}
# state_seen HOST STATE: the host's file says that an edge went into this state
state_seen() { grep '"type":"edge_state"' "$RUN/$1.clock" | grep -q "\"state\":\"$2\""; }
# wait_for SECONDS COMMAND...: until the command succeeds
wait_for() {
  local tries=$(($1 * 10))
  shift
  until "$@" 2>/dev/null; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || return 1
    sleep 0.1
  done
}
