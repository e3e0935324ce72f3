# Sourced after lib.sh by scripts that judge stored recordings whose truth is known.
# shellcheck shell=bash
need jq jq
WRONG=0
# expect_verdict RECORDING VERDICT FILTER: jq's FILTER of the answer, once test/data/recordings/RECORDING is judged. It is
# copied, for diagnose may write there. Goes on after a wrong one: all_as_expected fails.
expect_verdict() {
  local got
  cp -r "$ROOT/test/data/recordings/$1" "$TMP/recording"
  "$BUILD/lockstep" diagnose "$TMP/recording" --json >"$TMP/answer" || [ $? = 1 ] || fail "diagnose could not judge $1"
  rm -rf "$TMP/recording"
  got=$(jq -c "$3" "$TMP/answer")
  [ "$got" = "$2" ] && return
  echo "$1: $got, not $2"
  WRONG=$((WRONG + 1))
}
all_as_expected() { [ $WRONG = 0 ] || fail "$WRONG verdicts are not the truth"; }
