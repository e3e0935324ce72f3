# Sourced by the tests of the host's sampler, after lib.sh.
# shellcheck shell=bash
RUN=$TMP/run
lockstep=$BUILD/lockstep

# program N: two ranks that record into $RUN until they are killed; the launcher's pid is in $!.
program() {
  LOCKSTEP_DIR=$RUN "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --ranks 2 --nodes 1 --rate 200 \
    --iterations 1000000 >"$TMP/counts.$1" 2>&1 &
}
# The processes below this one, this one included.
tree() { local child; echo "$1"; for child in $(pgrep -P "$1"); do tree "$child"; done; }
# until_true WHAT COMMAND...: for a minute.
until_true() {
  local what=$1 tries
  shift
  for tries in $(seq 600); do "$@" && return; sleep 0.1; done
  fail "$what: not after a minute"
}
load_file() { compgen -G "$RUN/*.load" || true; }
bytes() { stat -c %s "$(load_file)" 2>/dev/null || echo 0; }
grown_beyond() { [ "$(bytes)" -gt "$1" ]; }
# Two more chunks: the second holds nothing that was sampled before this was called.
sampled_anew() { until_true "a chunk" grown_beyond "$(bytes)"; until_true "a chunk" grown_beyond "$(bytes)"; }
# threads_are_sampled N: of so many there are rows.
threads_are_sampled() { [ "$(query "SELECT count(DISTINCT tid) FROM thread_load")" -ge "$1" ]; }
query() { "$lockstep" query "$RUN" --csv "$1" | tail -n +2; }
