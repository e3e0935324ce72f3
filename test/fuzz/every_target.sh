#!/usr/bin/env bash
# timeout: 1800
# Every reader of a file or a socket, under libFuzzer with the address and undefined sanitizers: the kept corpus, then new
# inputs; two targets at a time. Without options each target gets a fixed number of inputs, the same ones every time, so
# that a failure is the change's and not luck's. `make fuzz` sets FUZZ_SECONDS, for each target, and takes new inputs each
# time unless FUZZ_SEED says which. A crash leaves its input in $BUILD/fuzz/found/TARGET: make it a unit test, then mend.
. "$(dirname "$0")/../lib.sh"
need clang++ clang
compgen -G "/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a" >/dev/null ||
  skip "clang's libFuzzer is not installed (package libclang-rt-14-dev)"
cd "$ROOT"
make -j2 BUILD="$BUILD/fuzz" CXX=clang++ SAN=fuzzer-no-link,address,undefined fuzz-programs >"$TMP/log" 2>&1 ||
  { tail -30 "$TMP/log"; fail "clang++ does not build the targets"; }
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
SCRATCH=$TMP  # in memory where there is room: a disk would set the pace
room=$(df --output=avail -BM /dev/shm 2>/dev/null | tr -dc '0-9') || true
[ "${room:-0}" -lt 512 ] || SCRATCH=$(mktemp -d /dev/shm/lockstep-fuzz.XXXXXX)
trap 'rm -rf "$TMP" "$SCRATCH"' EXIT

# Inputs that take some eight seconds.
declare -A INPUTS=([arena]=4000 [call_log]=100000 [capture_file]=60000 [chunk]=100000 [clock_model]=100000 [clock_records]=40000
  [config]=30000 [control_words]=500000 [live_capture]=10000 [live_channel]=60000 [live_processes]=5000 [live_questions]=4000
  [live_ras]=15000 [live_slices]=2500 [live_stack_rows]=150000 [live_tables]=10000 [live_top]=6000 [live_wire]=60000 [load]=500000
  [packet]=400000 [rendezvous]=4000 [segment]=15000)

fuzz() {  # fuzz TARGET
  local target=$1 found=$BUILD/fuzz/found/$1 longest=16384
  # Values that a target compares hold times and process ids, and a corpus is read again each second: without both, the
  # same seed gives the same inputs.
  local -a amount=(-runs="${INPUTS[$target]}" -seed=1 -use_cmp=0 -reload=0)
  [ -z "${FUZZ_SECONDS:-}" ] || amount=(-max_total_time="$FUZZ_SECONDS" -seed="${FUZZ_SEED:-0}")
  [ "$target" != packet ] || longest=400  # four packets
  mkdir -p "$found" "$TMP/$target" "$SCRATCH/files/$target"
  TMPDIR=$SCRATCH/files/$target nice "$BUILD/fuzz/fuzz/$target" "${amount[@]}" -max_len=$longest -timeout=120 \
    -rss_limit_mb=3000 -artifact_prefix="$found/" "$TMP/$target" "test/fuzz/corpus/$target" >"$TMP/$target.log" 2>&1
}

fuzz_or_say() {
  fuzz "$1" && return
  grep -vE '^(#|INFO)' "$TMP/$1.log" | tail -40
  echo "FAIL: $1 found an input, see $BUILD/fuzz/found/$1"
  return 1
}

running=0 failed=0
for source in test/fuzz/*.cc; do
  target=$(basename "$source" .cc)
  if [ $running = 2 ]; then
    wait -n || failed=1
    running=1
  fi
  fuzz_or_say "$target" &
  running=$((running + 1))
done
for ((; running > 0; --running)); do wait -n || failed=1; done
for log in "$TMP"/*.log; do echo "$(basename "$log" .log): $(tail -1 "$log")"; done
[ $failed = 0 ] || fail "see above"
