#!/usr/bin/env bash
# No value of an option reaches a format string or a shell: formats, substitutions and separators in every option that
# takes text, at once and one by one. The process is unharmed, nothing was run, and what it says shows the value as it is.
. "$(dirname "$0")/../spine/lib.sh"
cd "$TMP"
mark=$TMP/was_run
value="%n%s%n%999999d\$(touch $mark)\`touch $mark\`;touch $mark;'|touch $mark\"&touch $mark
x"

# Options whose values are text, by the page that is made of the table of options; and those of others we honour.
mapfile -t names < <("$BUILD/lockstep" config --markdown | sed -n 's/^| `\(LOCKSTEP_[A-Z_]*\)` .*| text |.*/\1/p')
[ "${#names[@]}" -gt 10 ] || fail "only ${#names[@]} options with text were found"
names+=(NCCL_INSPECTOR_DUMP_DIR NCCL_PROFILE_DUMP_FILE SLURM_JOB_ID SLURM_PROCID MASTER_ADDR)

record() { # record WHAT [VARIABLE=value...]
  local what=$1 rc=0
  shift
  env NCCL_INSPECTOR_ENABLE=1 LOCKSTEP_VERBOSE=1 LOCKSTEP_DIR="$TMP/run" LOCKSTEP_CLOCK=1 LOCKSTEP_CLOCK_RENDEZVOUS=none \
    "$@" timeout -k 5 60 "$BUILD/lockstep-storm" "$PLUGIN" --operations 20 >"$TMP/out" 2>"$TMP/err" || rc=$?
  [ $rc = 0 ] || { cat "$TMP/err"; fail "$what: the host ended with status $rc"; }
  "$BUILD/lockstep" config >/dev/null 2>&1 || [ $? -lt 4 ] || fail "$what: the command crashed"
  [ ! -e "$mark" ] || fail "$what: the value was run by a shell"
  rm -rf "$TMP/run"
}

all=()
for name in "${names[@]}"; do
  record "$name" "$name=$value"
  record "$name as a path" "$name=$TMP/dir/$value"
  all+=("$name=$value")
done
record "all of them" "${all[@]}"

# The path of the configuration file is repeated as it was given.
env LOCKSTEP_CONFIG='/nowhere/%n%s%x' "$BUILD/lockstep-storm" "$PLUGIN" --operations 1 >/dev/null 2>"$TMP/err"
grep -qF '/nowhere/%n%s%x' "$TMP/err" || { cat "$TMP/err"; fail "the value is not shown as it is"; }

# The command, with such names for runs and files.
LOCKSTEP_DIR="$TMP/$(tr -d '/\n' <<<"$value" | cut -c1-40)" "$BUILD/lockstep-storm" "$PLUGIN" --operations 20 >/dev/null
for command in count verify info recover; do
  "$BUILD/lockstep" $command "$TMP/$(tr -d '/\n' <<<"$value" | cut -c1-40)" >/dev/null || fail "$command: status $?"
done
[ ! -e "$mark" ] || fail "the command ran the value"
