#!/usr/bin/env bash
# timeout: 120
# `lockstep serve` follows a job of two hosts that share the run directory, in network namespaces: what the other host's ranks
# have only in memory it gets through that host's agent, as well as their stacks.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
lockstep=$BUILD/lockstep
need curl curl
need_server
export XDG_CACHE_HOME=$TMP/cache
HOSTS="1 2"
run=$TMP/run
mkdir -m 700 "$run" "$run/agents"
make_cluster
KEY=$run/agents/key
mv "$TMP/key" "$KEY"
for n in $HOSTS; do ln -s "$run" "$TMP/n$n/run"; done
# They write by themselves once an hour only, and the server does not see their memory.
for rank in 0 1 2 3; do
  on $((rank / 2 + 1)) env LOCKSTEP_DIR="$run" LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 LOCKSTEP_DUMP_INTERVAL_US=3600000000 \
    sh -c 'mount -t tmpfs none /dev/shm && exec "$@"' - "$BUILD/lockstep-emulate" --rank "$rank" --world 4 --master 10.79.0.1:4712 \
    --sizes 1k --ops allreduce --channels 1 --iterations 1000000 --rate 20 "$BUILD/libnccl-profiler.so" >"$TMP/job$rank" 2>&1 &
  # shellcheck disable=SC2034  # stop_cluster ends them
  JOB[rank]=$!
done
recording() { [ "$(find "$run" -name "*.ctl" | wc -l)" = 4 ]; }
wait_for 60 "that four ranks record" recording
for n in $HOSTS; do start_agent "$n"; done
on 1 "$lockstep" serve "$run" >"$TMP/banner" 2>"$TMP/err" &
wait_for 60 "that the run is served" test -s "$TMP/banner"
url=$(head -1 "$TMP/banner" | awk '{ print $NF }')
ask() { on 1 curl -sS --max-time 60 -H "Authorization: Bearer ${url##*#token=}" "${url%%#*}$1"; }
# of the ranks of each host, as the page shows them: the fewest operations
operations() { ask api/run | jq -r '[.ranks | group_by(.host)[] | map(.operations) | min] | join(" ")'; }
reading() { ask api/live | jq .reading; }
later() {  # later N: until the run was read so many times more
  local from
  from=$(reading)
  for _ in $(seq 600); do
    [ "$(reading)" -lt $((from + $1)) ] || return 0
    sleep 0.1
  done
  fail "it is not read again: $(ask api/live)"
}
all_are_shown() { ask api/run | jq -e '(.ranks | length) == 4 and ([.ranks[].operations] | min) > 0'; }
wait_for 60 "that all ranks are shown" all_are_shown
want_equal "ranks, by host" "n1 0 n1 1 n2 2 n2 3" "$(ask api/run | jq -r '[.ranks[] | "\(.host) \(.rank)"] | sort | join(" ")')"
want_equal "it goes on, and there is no trouble" "true " "$(ask api/live | jq -r '"\(.live) \(.trouble)"')"
read -r first1 first2 <<<"$(operations)"
later 2
read -r here there <<<"$(operations)"
[ "$here" -gt "$first1" ] || fail "the ranks of the server's host do not go on: $first1, $here"
[ "$there" -gt "$first2" ] || fail "the ranks of the other host do not go on: $first2, $there"
want_equal "who says where ranks stand" "2 2 0,1,2,3" \
  "$(ask api/stacks | jq -r '"\(.hosts_asked) \(.hosts_answered) \([.trees[0].places[].who | scan("\\d+(?:-\\d+)?") | split("-") | map(tonumber) | if length == 2 then range(.[0]; .[1] + 1) else .[0] end] | sort | map(tostring) | join(","))"')"

echo "a frozen agent holds up nobody else"
kill -STOP "${AGENT[2]}"
later 2
read -r first1 first2 <<<"$(operations)"
later 2
read -r here there <<<"$(operations)"
[ "$here" -gt "$first1" ] || fail "nothing comes of the server's own host: $first1, $here"
want_equal "what comes of the other host without its agent" "$first2" "$there"
want_equal "it goes on" true "$(ask api/live | jq .live)"
kill -CONT "${AGENT[2]}"
later 2
read -r here there <<<"$(operations)"
[ "$there" -gt "$first2" ] || fail "an agent that goes on is not asked again: $first2, $there"
