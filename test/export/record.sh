# Sourced by the tests of exports and queries: recorded runs in $TMP.
# shellcheck shell=bash
# record RUN DIRECTORY: plays the recorded run (test/data/runs/RUN) into the plugin, at its own times.
record() {
  LOCKSTEP_EVENTS=all LOCKSTEP_DIR=$2 "$BUILD/lockstep-replay" "$BUILD/libnccl-profiler.so" --virtual \
    "$ROOT/test/data/runs/$1"/rank*.txt.zst >"$TMP/replayed.json"
}
# How many calls of a kind the replay started.
started() { jq ".starts.$1 // 0" "$TMP/replayed.json"; }
# exit_code COMMAND...: output in $TMP/out and $TMP/err.
exit_code() { "$@" >"$TMP/out" 2>"$TMP/err" && echo 0 || echo $?; }
# sentence WHAT TEXT: the last command said something that people can use.
sentence() { grep -qF -- "$2" "$TMP/err" || fail "$1: no sentence with '$2': $(cat "$TMP/err" "$TMP/out")"; }
