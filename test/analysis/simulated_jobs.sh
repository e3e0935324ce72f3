#!/usr/bin/env bash
# Simulated jobs of every class are complete recordings that hold what their truth counts; a class that hangs hangs and
# the others come to their end; the same seed makes the same bytes, alone or in a batch.
. "$(dirname "$0")/../lib.sh"
need jq jq
SIMULATE=$BUILD/lockstep-simulate

# What each class needs to have a place to go wrong, and 0 or 1: whether the job ends in a hang.
needs() {
  case $1 in
    late-group) echo 0 --schedule tp-dp ;;
    heavy-stage) echo 0 --schedule 1f1b ;;
    heavy-expert) echo 0 --schedule moe ;;
    wrong-order) echo 1 --schedule zero ;;
    slow-adapter) echo 0 --schedule ddp --adapters gpu ;;
    deadlock) echo 1 --schedule tp-dp ;;
    missing-rank | stuck-* | dead-process | lost-host | mismatch-*) echo 1 --schedule ddp ;;
    *) echo 0 --schedule ddp ;;
  esac
}
counts='[.communicators, .processes, .starts, (.states_by_kind // .states), (.stops_by_kind // .stops)]'

classes=$("$SIMULATE" --list | sed -n '/^classes:/,/^schedules:/p' | awk '/^  / {print $1}')
[ "$(wc -w <<<"$classes")" -gt 20 ] || fail "the classes: $classes"
for class in $classes; do
  read -r hangs more < <(needs "$class")
  run=$TMP/$class
  # shellcheck disable=SC2086
  "$SIMULATE" "$run" --class "$class" --seed 7 --ranks 8 --gpus-per-host 4 --steps 6 --events step $more
  "$BUILD/lockstep" verify "$run" >"$TMP/verdict" || true
  # What is lost with its host stays without an end.
  differences=$(sed -nE 's/^difference: (.* process [0-9]+: (did not end).*|.*)$/\2\1/p' "$TMP/verdict" | cut -c1-11 | sort | uniq -c | xargs)
  want_equal "what $class lacks" "$([ "$class" != lost-host ] || echo 4 did not end)" "$differences"
  want_equal "what $class counts" "$(jq -cS ".counts | $counts" "$run/truth.json")" \
    "$("$BUILD/lockstep" count "$run" --json | jq -cS "$counts")"
  want_equal "whether $class hangs" "$hangs" "$(jq 'if .hung then 1 else 0 end' "$run/truth.json")"
  jq -e '.hung or .faults[0].structure or .faults[0].cost > 0.01' "$run/truth.json" >/dev/null ||
    fail "$class costs the job nothing: $(jq -c .faults "$run/truth.json")"
  want_equal "the class in the truth" "$class" "$(jq -r '.faults[0].class' "$run/truth.json")"
done

# Who dies has recorded what it called until then, and no more.
for class in dead-process lost-host; do
  dead=$(jq '.faults[0].ranks[0]' "$TMP/$class/truth.json") alive=$(jq '[range(8)] - .faults[0].ranks | .[0]' "$TMP/$class/truth.json")
  of_dead=$("$BUILD/lockstep" cat "$TMP/$class" --rank "$dead" | wc -l)
  of_alive=$("$BUILD/lockstep" cat "$TMP/$class" --rank "$alive" | wc -l)
  [ "$class" = lost-host ] || [ "$of_dead" -gt 100 ] || fail "$class: rank $dead left only $of_dead records"
  [ "$of_dead" -lt "$of_alive" ] || fail "$class: rank $dead left $of_dead records, rank $alive $of_alive"
done

# One that still runs when somebody looks has no end, and says so.
"$SIMULATE" "$TMP/running" --class missing-rank --end running --steps 6
status=0
"$BUILD/lockstep" verify "$TMP/running" >"$TMP/verdict" || status=$?
want_equal "exit code of a run without an end" 1 $status
grep -q 'did not end' "$TMP/verdict" || fail "a run without an end: $(cat "$TMP/verdict")"

# What the events leave out has neither starts nor stops, whatever path NCCL takes.
"$SIMULATE" "$TMP/owner" --schedule owner --events Coll --steps 3
want_equal "kinds that stop" '["Coll"]' "$(jq -c '.counts.stops | keys' "$TMP/owner/truth.json")"

# Of three hosts a ring has three edges; a tree has two, each in both directions. Four adapters of a host are of twice as many
# channels as one.
ops=()
for ways in "" "--tree-bytes 1G" "--adapters gpu" "--adapters gpu --tree-bytes 1G"; do
  run=$TMP/ways${#ops[@]}
  # shellcheck disable=SC2086
  "$SIMULATE" "$run" --ranks 12 --gpus-per-host 4 --steps 3 --events step $ways
  "$BUILD/lockstep" verify "$run" >"$TMP/verdict" || fail "$ways: $(cat "$TMP/verdict")"
  want_equal "what a job with '$ways' counts" "$(jq -cS ".counts | $counts" "$run/truth.json")" \
    "$("$BUILD/lockstep" count "$run" --json | jq -cS "$counts")"
  ops+=("$(jq .counts.starts.ProxyOp "$run/truth.json")")
done
want_equal "network operations in rings, trees, and both over four adapters" "$((ops[0] * 4 / 3)) $((ops[0] * 2)) $((ops[0] * 8 / 3))" \
  "${ops[*]:1}"

# Data of a tree passes the adapter of a host at one rank.
"$SIMULATE" "$TMP/adapter" --ranks 12 --gpus-per-host 4 --steps 3 --tree-bytes 1G --class slow-nic --rank 6
want_equal "ranks of a host, and those whose data passes its adapter" '[[4,5,6,7],[4]]' \
  "$(jq -c '.faults[0] | [.ranks, .network_ranks]' "$TMP/adapter/truth.json")"

# Two faults are of two ranks, and each costs something.
"$SIMULATE" "$TMP/two" --class late-rank,slow-gpu --steps 6
want_equal "two faults" '["late-rank","slow-gpu",2,true]' "$(jq -c '[.faults[0].class, .faults[1].class,
  ([.faults[].ranks[]] | unique | length), ([.faults[].cost_alone] | min > 0.01)]' "$TMP/two/truth.json")"

# Same seed, same bytes.
again="--class slow-link --schedule 1f1b --ranks 8 --gpus-per-host 2 --steps 4 --events step --noise heavy-jitter,gc"
# shellcheck disable=SC2086
"$SIMULATE" "$TMP/first" --seed 3 $again
printf '# a batch\n\n%s --seed 3 %s\n%s --count 2 --seed 3 %s\n' "$TMP/second" "$again" "$TMP/more" "$again" >"$TMP/batch"
"$SIMULATE" --batch "$TMP/batch"
diff -r "$TMP/first" "$TMP/second" || fail "the same seed made other bytes"
diff -r "$TMP/first" "$TMP/more/3" || fail "the same seed made other bytes among several"
! diff -rq "$TMP/first" "$TMP/more/4" >/dev/null || fail "another seed made the same bytes"

# A run is not written over another, and that is not a matter of its options.
status=0
"$SIMULATE" "$TMP/first" 2>"$TMP/complaint" || status=$?
want_equal "exit code of a run that is there" 3 $status

# Nothing is placed where the job does not reach.
for beyond in "--at 6" "--rank 8" "--tp 65536 --pp 65536"; do
  status=0
  # shellcheck disable=SC2086
  "$SIMULATE" "$TMP/beyond" --class missing-rank --steps 6 $beyond 2>"$TMP/complaint" || status=$?
  want_equal "exit code of $beyond" 2 $status
done

# What cannot be simulated is said, with the line of the batch.
echo "$TMP/none --class heavy-stage --schedule ddp" >"$TMP/batch"
status=0
"$SIMULATE" --batch "$TMP/batch" 2>"$TMP/complaint" || status=$?
want_equal "exit code of a bad line" 2 $status
grep -q 'heavy-stage: the schedule has no stages' "$TMP/complaint" || fail "the complaint: $(cat "$TMP/complaint")"
grep -q "batch:1: this run failed" "$TMP/complaint" || fail "the line: $(cat "$TMP/complaint")"
status=0
"$SIMULATE" "$TMP/none" --class slow-adapter --gpus-per-host 4 2>"$TMP/complaint" || status=$?
want_equal "exit code where each host's ranks share an adapter" 2 $status
grep -q 'no rank both sends and receives over the network; give --adapters gpu' "$TMP/complaint" || fail "the complaint: $(cat "$TMP/complaint")"
