#!/usr/bin/env bash
# `lockstep run` without SLURM: a program under it is recorded, and is told from one without it by nothing else.
. "$(dirname "$0")/../lib.sh"
need jq jq
for name in $(compgen -e SLURM_); do unset "$name"; done
LOCKSTEP=$BUILD/lockstep
run() { "$LOCKSTEP" run --dir "$TMP/runs" "$@"; }
status() { local rc=0; "$@" >"$TMP/out" 2>"$TMP/err" || rc=$?; echo "$rc"; }

run --events step --interval 0.25 -- "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --ranks 2 --iterations 20 \
  >"$TMP/line" 2>"$TMP/said" || fail "a run without fault: $(cat "$TMP/said")"
dir=("$TMP"/runs/lockstep-*)
want_equal "run directories" 1 ${#dir[@]}
grep -qF "recording to ${dir[0]}" "$TMP/said" || fail "it does not say where it records: $(cat "$TMP/said")"
want_equal "starts" "$(jq -cS .starts "$TMP/line")" "$("$LOCKSTEP" count "${dir[0]}" --json | jq -cS .starts)"
"$LOCKSTEP" verify "${dir[0]}" >/dev/null || fail "verify finds something"
want_equal "the directories of its segments" "${dir[0]}/$(hostname)" "$(find "${dir[0]}" -name '*.lks' -printf '%h\n' | sort -u)"
want_equal "the interval in the files" 250000 \
  "$("$LOCKSTEP" info "${dir[0]}" | sed -n 's/^option dump_interval_us=\([0-9]*\) .*/\1/p')"
want_equal "exit code in run.json" 0 "$(jq .exit_code "${dir[0]}/run.json")"
[ -s "${dir[0]}/summary/diagnose.txt" ] || fail "no summary"

# Answers are asked for again when another host has recovered more: who reads the earlier ones meanwhile has them whole.
echo "an earlier answer" >"${dir[0]}/summary/diagnose.txt"
exec 3<"${dir[0]}/summary/diagnose.txt"
find "${dir[0]}" -name '*.lks' -exec touch {} +
"$LOCKSTEP" finish "${dir[0]}" >"$TMP/said" 2>&1 || fail "finish: $(cat "$TMP/said")"
want_equal "the answer that was open while another came" "an earlier answer" "$(cat <&3)"
exec 3<&-
grep -q "an earlier answer" "${dir[0]}/summary/diagnose.txt" && fail "finish has not answered again"
want_equal "parts of answers left" "" "$(find "${dir[0]}/summary" -name '*.part')"

# A program that does not end when its communicators have: its plugin asks for a snapshot of the end, and one is made, without
# --snapshot-every and with an hour between two. The segment has a note of it. A process that asks later gets no other, and its
# wish is not left behind.
for every in "" "--snapshot-every 3600"; do
  rm -rf "$TMP/slow_end"
  # shellcheck disable=SC2016,SC2086  # the inner shell's own variables; one word or two
  "$LOCKSTEP" run --dir "$TMP/slow_end" $every -- bash -c '
    "$0" "$1" --ranks 2 --rate 10 --iterations 30 >/dev/null
    for i in {1..600}; do
      compgen -G "$2"/*/snapshot/*/report.html >/dev/null && { touch "$(dirname "$2"/*/run.json)/snapshot.wanted"; exit 0; }
      sleep 0.1
    done
    exit 1' \
    "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" "$TMP/slow_end" 2>"$TMP/said" || fail "no snapshot of the end: $(cat "$TMP/said")"
  want_equal "snapshots of a run that ended once" 1 "$(find "$TMP"/slow_end/*/snapshot -mindepth 1 -maxdepth 1 | wc -l)"
  want_equal "wishes left" "" "$(find "$TMP/slow_end" -name snapshot.wanted)"
  grep -q 'a communicator is torn down for the first time: a report is asked for' "$TMP"/slow_end/*/summary/verify.txt ||
    fail "no note in the segment: $(cat "$TMP"/slow_end/*/summary/verify.txt)"
  grep -q '^- Since the snapshot summary/' "$TMP"/slow_end/*/summary/final/summary.md || fail "the final report does not compare with the snapshot"
done

# Snapshots before there is anything on disk are no failure.
"$LOCKSTEP" run --dir "$TMP/nothing_yet" --snapshot-every 0.1 -- sleep 1 2>"$TMP/said"
! grep -q "no snapshot" "$TMP/said" || fail "a snapshot failed: $(cat "$TMP/said")"

# The one-letter options of Copper's users say what the long ones do.
plan() { "$LOCKSTEP" run --dir "$TMP/runs" --dry-run "$@" -- true | sed 's/lockstep-[^/ ]*//g' | grep -E 'LOCKSTEP_EVENTS|--top'; }
want_equal "-P -N 7" "$(plan --events coll --top 7)" "$(plan -P -N 7)"
want_equal "-A" "$(plan --events all)" "$(plan -A)"
grep -q 'LOCKSTEP_EVENTS=all' <<<"$(plan -A)" || fail "-A records something else: $(plan -A)"
want_equal "exit code with two words on what to record" 2 "$(status run -P -A -- true)"
"$LOCKSTEP" run --dir "$TMP/often" -I 0.1 -- sleep 1 2>"$TMP/said" || fail "-I: $(cat "$TMP/said")"

want_equal "exit code" 37 "$(status run -- sh -c 'exit 37')"
want_equal "exit code of a killed program" 137 "$(status run -- sh -c 'kill -9 $$')"
want_equal "exit code of a missing program" 127 "$(status run -- "$TMP/nothere")"
want_equal "exit code without --" 2 "$(status run true)"
want_equal "every word arrives" "<--><count><><[a,b]><x y><--help>" \
  "$("$LOCKSTEP" run --dir "$TMP/runs" -- printf '<%s>' -- count '' '[a,b]' 'x y' --help 2>/dev/null)"

before=$(find "$TMP/runs" | wc -l)
run --dry-run -- srun -n 2 'a b' >"$TMP/plan"
grep -qxF "srun -n 2 'a b'" "$TMP/plan" || fail "the plan does not show the program: $(cat "$TMP/plan")"
want_equal "files made by --dry-run" 0 $(($(find "$TMP/runs" | wc -l) - before))

# NCCL 2.27.3 loads no plugin by its path: where it is seen, the plugin is named and its folder searched last.
plan() { env "$@" "$LOCKSTEP" run --dir "$TMP/runs" --dry-run -- train 2>"$TMP/said" | sed -n 's/^export \(NCCL_PROFILER_PLUGIN\|LD_LIBRARY_PATH\)=/\1=/p'; }
by_path="NCCL_PROFILER_PLUGIN=$BUILD/libnccl-profiler.so"
mkdir -p "$TMP/venv/lib/python3.11/site-packages/nvidia_nccl_cu12-2.27.3.dist-info" "$TMP/nccl" "$TMP/newer"
touch "$TMP/nccl/libnccl.so.2.27.3" "$TMP/newer/libnccl.so.2.27.5"
ln -s libnccl.so.2.27.3 "$TMP/nccl/libnccl.so.2"
ln -s libnccl.so.2.27.5 "$TMP/newer/libnccl.so.2"
want_equal "beside NCCL 2.27.3 of Python" "NCCL_PROFILER_PLUGIN=lockstep LD_LIBRARY_PATH=/before:$BUILD" \
  "$(plan VIRTUAL_ENV="$TMP/venv" LD_LIBRARY_PATH=/before | paste -sd' ')"
grep -qF "nvidia_nccl_cu12-2.27.3.dist-info: NCCL 2.27.3 loads no plugin by its path" "$TMP/said" || fail "it says: $(cat "$TMP/said")"
want_equal "beside NCCL 2.27.3 of the search path" "NCCL_PROFILER_PLUGIN=lockstep LD_LIBRARY_PATH=$TMP/nccl:$BUILD" \
  "$(plan LD_LIBRARY_PATH="$TMP/nccl" | paste -sd' ')"
want_equal "beside another version" "$by_path" "$(plan LD_LIBRARY_PATH="$TMP/newer" | paste -sd' ')"
want_equal "without NCCL" "$by_path" "$(plan -u VIRTUAL_ENV)"
[ -e "$BUILD/libnccl-profiler-lockstep.so" ] || fail "the build makes no libnccl-profiler-lockstep.so to be named"
VIRTUAL_ENV=$TMP/venv "$LOCKSTEP" run --dir "$TMP/named" -- "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --ranks 2 \
  >"$TMP/line" 2>"$TMP/said" || fail "a run beside NCCL 2.27.3: $(cat "$TMP/said")"
want_equal "starts when named" "$(jq -cS .starts "$TMP/line")" "$("$LOCKSTEP" count "$TMP"/named/* --json | jq -cS .starts)"

# On a disk of this machine alone, and in the run directory at the end.
"$LOCKSTEP" run --dir "$TMP/common" --node-local "$TMP/disk" -- "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --ranks 2 \
  --iterations 20 >"$TMP/line" 2>"$TMP/said" || fail "a run on a local disk: $(cat "$TMP/said")"
dir=("$TMP"/common/lockstep-*)
want_equal "starts" "$(jq -cS .starts "$TMP/line")" "$("$LOCKSTEP" count "${dir[0]}" --json | jq -cS .starts)"
want_equal "the directories of its segments" "${dir[0]}/$(hostname)" "$(find "${dir[0]}" -name '*.lks' -printf '%h\n' | sort -u)"
want_equal "left on the disk" "" "$(ls "$TMP/disk")"
SLURM_JOB_ID=9 SLURM_JOB_NUM_NODES=3 run --node-local "$TMP/disk" --dry-run -- srun train >"$TMP/plan"
grep -qE "^export LOCKSTEP_DIR=$TMP/disk/lockstep-9\.0-[0-9]+/%h\$" "$TMP/plan" || fail "the plan: $(cat "$TMP/plan")"
grep -qxF "export LOCKSTEP_CLOCK_OUT=$TMP/runs/lockstep-9.0" "$TMP/plan" || fail "the plan: $(cat "$TMP/plan")"
grep -qE " srun -N3 -n3 .* collect $TMP/disk/lockstep-9\.0-[0-9]+ --to $TMP/runs/lockstep-9\.0 " "$TMP/plan" || fail "the plan: $(cat "$TMP/plan")"
want_equal "exit code with --snapshot-every" 2 "$(status run --node-local "$TMP/disk" --snapshot-every 1 -- true)"
want_equal "exit code inside of a step" 2 "$(SLURM_JOB_ID=9 SLURM_STEP_ID=0 status run --node-local "$TMP/disk" -- true)"

# A signal reaches the program, which may end as it likes.
"$LOCKSTEP" run --dir "$TMP/runs" -- sh -c 'trap "exit 9" USR1; : >"$TMP/ready"; while :; do sleep 0.05; done' 2>/dev/null &
until [ -e "$TMP/ready" ]; do sleep 0.05; done
kill -USR1 $!
rc=0
wait $! || rc=$?
want_equal "exit code after a signal" 9 "$rc"

# Requeues, array tasks and steps of a job get directories of their own.
export SLURM_JOB_ID=77
run -- true 2>/dev/null
run -- true 2>/dev/null
SLURM_RESTART_COUNT=1 run -- true 2>/dev/null
SLURM_ARRAY_JOB_ID=70 SLURM_ARRAY_TASK_ID=5 run -- true 2>/dev/null
SLURM_STEP_ID=3 SLURM_PROCID=1 run -- true 2>/dev/null
for name in 77.0 77.1 77.r1.0 70_5.0 77.step3; do
  [ -d "$TMP/runs/lockstep-$name" ] || fail "no directory for $name: $(ls "$TMP/runs")"
done
