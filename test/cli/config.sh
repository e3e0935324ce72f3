#!/usr/bin/env bash
# `lockstep config` and the dispatcher: values, origins, complaints and exit codes.
. "$(dirname "$0")/../lib.sh"
lockstep=$BUILD/lockstep
cd "$TMP"

exit_code() { "$@" >out 2>err && echo 0 || echo $?; }

"$lockstep" config --markdown | diff "$ROOT/docs/configuration.md" - >changes ||
  fail "docs/configuration.md differs from the table of options; run: build/lockstep config --markdown > docs/configuration.md $(cat changes)"

want_equal "plain config" 0 "$(exit_code "$lockstep" config)"
want_equal "dispatcher without a command" 2 "$(exit_code "$lockstep")"
want_equal "unknown command" 2 "$(exit_code "$lockstep" confi)"
grep -q "there is no command 'confi'" err || fail "an unknown command is not named: $(cat err)"
want_equal "unknown argument" 2 "$(exit_code "$lockstep" config --frob)"
want_equal "help" 0 "$(exit_code "$lockstep" config --help)"
grep -q 'Exit codes: 0' out || fail "--help does not say the exit codes"
want_equal "full disk under the output" 3 "$("$lockstep" config >/dev/full 2>/dev/null && echo 0 || echo $?)"

echo '{"rotate_mb": 16, "sync": "chunk", "buffer_mb": 64}' >good.json
want_equal "check of a good file" 0 "$(exit_code "$lockstep" config --check good.json)"
LOCKSTEP_CONFIG=good.json LOCKSTEP_ROTATE_MB=32 "$lockstep" config --origin >out
grep -qE '^LOCKSTEP_ROTATE_MB +32 +environment$' out || fail "the environment did not win: $(cat out)"
grep -qE '^LOCKSTEP_SYNC +chunk +file$' out || fail "the file's value is missing: $(cat out)"
grep -qE '^LOCKSTEP_ZSTD_LEVEL +1 +default$' out || fail "the default is missing: $(cat out)"

echo '{"rotate_mb": 16,}' >comma.json
want_equal "check of bad JSON" 1 "$(exit_code "$lockstep" config --check comma.json)"
grep -q 'comma.json.*line 1, column 18' err || fail "no line and column: $(cat err)"
want_equal "check of no file" 3 "$(exit_code "$lockstep" config --check none.json)"
want_equal "misspelled variable" 1 "$(LOCKSTEP_ROTATEMB=3 exit_code "$lockstep" config)"
grep -q 'did you mean LOCKSTEP_ROTATE_MB?' err || fail "no suggestion: $(cat err)"

need jq jq
want_equal "run directory" "/d/n1/42" \
  "$(SLURM_JOB_ID=42 LOCKSTEP_HOST=n1 LOCKSTEP_DIR=/d/%h/%j "$lockstep" config --json | jq -r .run_directory)"
want_equal "event mask" 6 "$(NCCL_PROFILE_EVENT_MASK=6 "$lockstep" config --json | jq .event_mask)"
want_equal "origin in JSON" environment "$(LOCKSTEP_SYNC=chunk "$lockstep" config --json | jq -r .options.sync.origin)"
