#!/usr/bin/env bash
# timeout: 240
# Every command of docs/capture.md does what it says, on a job that marks its steps.
. "$(dirname "$0")/../lib.sh"
need jq jq
export LOCKSTEP_HOST_LOAD=0 LOCKSTEP_CLOCK=0
jobs=() watcher=
trap 'kill "${jobs[@]}" $watcher 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT
mkdir "$TMP/bin"
ln -s "$BUILD/lockstep" "$TMP/bin/lockstep"
PATH=$TMP/bin:$PATH
cd "$TMP"
for rank in 0 1; do
  LOCKSTEP_DIR=$TMP/my-run "$BUILD/lockstep-marks" "$BUILD/libnccl-profiler.so" --ranks 2 --rank $rank --steps 100000 --step-ms 20 --threads 1 >"job$rank" 2>&1 &
  jobs+=($!)
done
records() { [ "$(lockstep cat my-run 2>/dev/null | grep -c '"step_begin"')" -gt 20 ]; }
for _ in $(seq 300); do
  records && break
  sleep 0.2
done
records || fail "the job marks no steps: $(cat job?)"
run() {  # run LINE
  local code=0
  bash -c "$1" >out 2>err || code=$?
  grep -q "there is no DuckDB library" err && return
  [ $code = 0 ] || fail "'$1' ended with $code: $(head -c 2000 out err)"
}
ran=0
while IFS= read -r line; do
  line=${line%%  #*}
  echo "$line"
  case $line in
    *--when*)
      bash -c "$line" >when 2>&1 &
      watcher=$!
      ;;
    *capture-2026*) run "$(sed -E "s/capture-2026[0-9TZ]+-[0-9a-f]+/$(lockstep captures list my-run --json | jq -r '.[-1].id')/" <<<"$line")" ;;
    *) run "$line" ;;
  esac
  ran=$((ran + 1))
done < <(sed -n '/^```sh$/,/^```$/p' "$ROOT/docs/capture.md" | grep '^lockstep ')
[ $ran -ge 9 ] || fail "only $ran commands were found"
want_equal "captures of the run" 5 "$(lockstep captures list my-run --json | jq length)"
want_equal "their ranks' states" '["stopped"]' "$(lockstep captures list my-run --json | jq -c '[.[].ranks[].state] | unique')"
kill "${jobs[@]}"
wait "${jobs[@]}" 2>/dev/null || true
jobs=()
wait $watcher || fail "--when failed: $(cat when)"
watcher=
