# Sourced by the alignment's scripts: two hosts whose CLOCK_MONOTONIC and RAW really differ, by 500 s and 9000 s
# (time namespaces), one emulated rank on each, the real plugin. The truth: h1 is 8,500 s ahead of h0.
# shellcheck shell=bash
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../clocksync/common.sh"
need jq jq
need_namespaces
unshare --time --monotonic 1 true 2>/dev/null || skip "time namespaces are not permitted here"
LOCKSTEP=$BUILD/lockstep
TRUTH_NS=8500000000000
export LOCKSTEP_DIR=$RUN LOCKSTEP_ENABLE=1

# on HOST COMMAND...: in that host's namespaces
on() {
  local host=$1 shift_s=500
  shift
  [ "$host" = h0 ] || shift_s=9000
  ip netns exec "ls$host$$" unshare --time --monotonic "$shift_s" --fork --kill-child env "LOCKSTEP_HOST=$host" "$@"
}
two_hosts() {
  add_namespace "lsh0$$"
  add_namespace "lsh1$$"
  wire "lsh0$$" wa 10.77.8.1/24 "lsh1$$" wb 10.77.8.2/24
}
# run_ranks OPTION...: an all-reduce job with a rank on each host
run_ranks() {
  local rank pids=()
  for rank in 0 1; do
    on "h$rank" "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --rank "$rank" --world 2 \
      --master 10.77.8.1:29500 --ops allreduce --sizes 4K --rate 100 "$@" >"$TMP/rank$rank" &
    pids+=("$!")
  done
  for rank in 0 1; do wait "${pids[$rank]}" || fail "rank $rank ended with $?: $(cat "$TMP/rank$rank")"; done
}
# want_aligned FROM: the clock command's answer holds the truth, comes from FROM, and nothing is impossible any more.
want_aligned() {
  local rc=0
  "$LOCKSTEP" align "$RUN" >"$TMP/align" || rc=$?
  cat "$TMP/align"
  want_equal "exit status of align" 0 "$rc"
  [ -s "$RUN/clock_model.json" ] || fail "align wrote no model"
  "$LOCKSTEP" clock "$RUN" || fail "clock found something: $?"
  "$LOCKSTEP" clock "$RUN" --json >"$TMP/clock.json"
  jq -e --argjson truth "$TRUTH_NS" '.pairs[0] | .lo_ns <= $truth and $truth <= .hi_ns' "$TMP/clock.json" >/dev/null ||
    fail "the truth $TRUTH_NS is outside: $(jq -c .pairs "$TMP/clock.json")"
  want_equal "source" "$1" "$(jq -r '.pairs[0].source' "$TMP/clock.json")"
  [ "$(jq .causality.checked "$TMP/clock.json")" -ge 100 ] || fail "too few pairs: $(jq -c .causality "$TMP/clock.json")"
  [ "$(jq .causality.violated_before "$TMP/clock.json")" -ge 50 ] || fail "not wrong before: $(jq -c .causality "$TMP/clock.json")"
  want_equal "impossible pairs after" 0 "$(jq .causality.violated_after "$TMP/clock.json")"
}
