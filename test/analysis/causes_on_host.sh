#!/usr/bin/env bash
# Real causes on this machine: a rank bound to a core that busy loops hold, and one in a cgroup whose processor quota runs
# out, are named with why. Beside busy loops on every processor no healthy rank is accused. Only who and why are judged,
# never how much, for that is the machine's.
# serial
# timeout: 600
. "$(dirname "$0")/../lib.sh"
lockstep=$BUILD/lockstep
need jq jq
need taskset util-linux
need python3 python3
[ -r /proc/self/schedstat ] || skip "this kernel keeps no schedstat (CONFIG_SCHED_INFO)"

LOOPS=() GROUP=
end_loops() {
  local pid
  for pid in "${LOOPS[@]}"; do kill "$pid" && wait "$pid" || true; done 2>/dev/null
  LOOPS=()
}
clean_up() {
  end_loops
  [ -z "$GROUP" ] || rmdir "$GROUP" 2>/dev/null || true
  rm -rf "$TMP"
}
trap clean_up EXIT

# job NAME BYTES COMMAND...: four ranks that record into $TMP/NAME; rank 1 by way of COMMAND.
job() {
  local name=$1 bytes=$2 port rank ranks=()
  shift 2
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  for rank in 0 1 2 3; do
    local by=()
    [ $rank != 1 ] || by=("$@")
    LOCKSTEP_DIR=$TMP/$name "${by[@]}" "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --rank $rank --world 4 \
      --nodes 1 --master "127.0.0.1:$port" --iterations 250 --rate 50 --sizes "$bytes" --stall-us 120000000 >/dev/null &
    ranks+=($!)
  done
  for rank in "${ranks[@]}"; do wait "$rank" || fail "$name: a rank ended with $?"; done
  "$lockstep" diagnose "$TMP/$name" --json >"$TMP/$name.json" || [ $? = 1 ] || fail "diagnose $name"
}
stragglers() { jq -c '[.findings[] | select(.kind == "straggler") | [.culprits, .why]]' "$TMP/$1.json"; }
busy_loop() { "$@" sh -c 'while :; do :; done' & LOOPS+=($!); }

core=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
for _ in 1 2 3; do busy_loop taskset -c "$core"; done
# The kinder the rank, the less it depends on what else this machine does that the loops get most of the core.
job bound 64K nice -n 19 taskset -c "$core"
end_loops
jq -e '.findings[] | select(.kind == "straggler" and .culprits == [1] and .why == "no_processor")' "$TMP/bound.json" \
  >"$TMP/found" || fail "rank 1 shares its core with busy loops, and these are accused: $(stragglers bound)"
jq -e '.why_evidence[0] | .what == "processor_wait" and .unit == "ns" and .amount * 2 >= .of' "$TMP/found" >/dev/null ||
  fail "the evidence does not say so: $(jq -c .why_evidence "$TMP/found")"
jq -e '.text | test("waiting for a processor")' "$TMP/found" >/dev/null || fail "nor does the text: $(jq .text "$TMP/found")"

for _ in $(seq "$(nproc)"); do busy_loop env; done
job healthy 1M env
end_loops
jq -e '[.findings[] | select(.culprits != [] and .confidence >= 0.9)] == []' "$TMP/healthy.json" >/dev/null ||
  fail "beside busy loops healthy ranks are accused: $(stragglers healthy)"

controller=$(awk '$3 == "cgroup" && $4 ~ /(^|,)cpu(,|$)/ {print $2; exit}' /proc/mounts)
[ -n "$controller" ] || skip "the processor quota: there is no cpu controller of version 1 here"
GROUP=$controller/lockstep-test-$$
mkdir "$GROUP" 2>/dev/null || skip "the processor quota: cgroups cannot be made here"
echo 100000 >"$GROUP/cpu.cfs_period_us"
echo 2000 >"$GROUP/cpu.cfs_quota_us"
# shellcheck disable=SC2016
job quota 1M sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$GROUP"
jq -e '.findings[] | select(.kind == "straggler" and .culprits == [1] and .why == "throttled")' "$TMP/quota.json" \
  >"$TMP/found" || fail "the quota of rank 1 runs out, and these are accused: $(stragglers quota)"
want_equal "what ran out" "cpu:/${GROUP##*/}" "$(jq -r '.why_evidence[0].where' "$TMP/found")"
