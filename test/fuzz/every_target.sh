#!/usr/bin/env bash
# timeout: 1800
# Every reader of a file or a socket, under libFuzzer with the address and undefined sanitizers: the kept corpus, then new
# inputs; two targets at a time. FUZZ_SECONDS is for each target (make fuzz, CI); without it each gets 1,000 inputs.
# FUZZ_SEED (default 1) chooses which inputs: always the same in CI, so that a failure there is the change's and not
# luck's; `make fuzz` takes new ones each time. A crash leaves its input in $BUILD/fuzz/found/TARGET: make it a unit test,
# then mend.
. "$(dirname "$0")/../lib.sh"
need clang++ clang
compgen -G "/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a" >/dev/null ||
  skip "clang's libFuzzer is not installed (package libclang-rt-14-dev)"
cd "$ROOT"
make -j2 BUILD="$BUILD/fuzz" CXX=clang++ SAN=fuzzer-no-link,address,undefined fuzz-programs >"$TMP/log" 2>&1 ||
  { tail -30 "$TMP/log"; fail "clang++ does not build the targets"; }
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 TMPDIR=$TMP
[ ! -w /dev/shm ] || TMPDIR=/dev/shm  # a disk would set the pace

fuzz() {  # fuzz TARGET
  local target=$1 found=$BUILD/fuzz/found/$1 longest=16384
  local -a amount=(-runs=1000)
  [ -z "${FUZZ_SECONDS:-}" ] || amount=(-max_total_time="$FUZZ_SECONDS")
  [ "$target" != packet ] || longest=400  # four packets
  mkdir -p "$found" "$TMP/$target"
  nice "$BUILD/fuzz/fuzz/$target" "${amount[@]}" -seed="${FUZZ_SEED:-1}" -max_len=$longest -timeout=120 -rss_limit_mb=3000 \
    -artifact_prefix="$found/" "$TMP/$target" "test/fuzz/corpus/$target" >"$TMP/$target.log" 2>&1
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
