#!/usr/bin/env bash
# Every shell script passes shellcheck. SC2164: test scripts run with `set -e`, so a failed cd ends them.
. "$(dirname "$0")/../lib.sh"
need shellcheck shellcheck
cd "$ROOT"
mapfile -t scripts < <(
  find . \( -path ./node_modules -o -path './build*' -o -path ./.git -o -path ./test/fuzz/corpus \) -prune -o -type f -print |
    while read -r file; do head -c 40 "$file" | tr -d '\0' | grep -qE '^#! ?(/usr/bin/env |/bin/)(ba)?sh' && echo "$file"; done
)
[ ${#scripts[@]} -gt 5 ] || fail "found only ${#scripts[@]} scripts"
shellcheck -S warning -e SC2164 "${scripts[@]}" || fail "shellcheck found something (see above)"
