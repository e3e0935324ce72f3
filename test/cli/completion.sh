#!/usr/bin/env bash
# In bash, TAB after `lockstep` completes every command, its options, the values of an option and run directories.
. "$(dirname "$0")/../lib.sh"
[ -x "$BUILD/lockstep" ] || skip "lockstep is not built"
"$ROOT/scripts/completion.sh" "$ROOT/docs/commands" >"$TMP/completion"

# completed WORD...: what a fresh bash offers in place of the last word, sorted, on one line.
completed() {
  bash --norc -uc '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _lockstep; printf "%s\n" "${COMPREPLY[@]}"' \
    bash "$TMP/completion" "$@" 2>>"$TMP/err" | sort | tr '\n' ' ' | sed 's/^ *//; s/ $//'
}

bash --norc -c '. "$1"; complete -p lockstep' bash "$TMP/completion" | grep -q -- '-F _lockstep lockstep$' || fail "bash does not know what completes lockstep"

# Every command and every option that --help has.
commands=$("$BUILD/lockstep" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | sort | tr '\n' ' ')
want_equal "the commands" "${commands% }" "$(completed lockstep "")"
for command in $commands; do
  options=$("$BUILD/lockstep" "$command" --help | grep -oE '^  (-[A-Za-z],)?--[a-z-]+' | sed 's/.*--/--/' | sort | tr '\n' ' ')
  want_equal "the options of $command" "${options% }" "$(completed lockstep "$command" --)"
done

want_equal "the beginning of a command" "recover report" "$(completed lockstep re)"
want_equal "a command inside a command" "list prune rm show" "$(completed lockstep runs "")"
want_equal "its options" "--help --keep --older-than --yes" "$(completed lockstep runs prune -)"
want_equal "the values of an option" "parquet perfetto" "$(completed lockstep export my-run --to p)"
want_equal "what ctl asks of a run" "events flush interval snapshot status" "$(completed lockstep ctl my-run "")"

# Run directories: one with segments, one with a folder for each host, one in a folder; no other directory.
mkdir -p "$TMP/here/run a" "$TMP/here/run-b/node1" "$TMP/here/runs/run-c" "$TMP/here/rubbish/more"
touch "$TMP/here/run a/n.1.0.lks" "$TMP/here/run-b/node1/n.2.0.lks" "$TMP/here/runs/run-c/n.3.0.lks" "$TMP/here/rubble"
cd "$TMP/here"
want_equal "run directories" "run a run-b runs" "$(completed lockstep report ru)"
want_equal "those in a folder" "runs/run-c" "$(completed lockstep verify --json runs/)"
want_equal "several" "run-b" "$(completed lockstep runs rm runs/run-c run-)"
want_equal "where there is none, bash's own names of files" "" "$(completed lockstep report rub)"
want_equal "the value of an option: names of files" "" "$(completed lockstep report run-b --output ru)"
want_equal "the program that is recorded: names of files" "" "$(completed lockstep run -- ru)"
[ ! -s "$TMP/err" ] || fail "it complained: $(cat "$TMP/err")"
