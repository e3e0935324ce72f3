#!/usr/bin/env bash
# Puts the --help text of every command into its page, docs/commands/COMMAND.md, between the two markers.
# scripts/command_pages.sh [--check]: with --check nothing is written, and a page that differs or is missing is an error.
# LOCKSTEP names the program, default build/lockstep.
set -euo pipefail
cd "$(dirname "$0")/.."
lockstep=${LOCKSTEP:-build/lockstep}
pages=docs/commands
check=false
[ "${1:-}" = --check ] && check=true

# The names under "Subcommands:" of a help text.
subcommands() { sed -n '/^Subcommands:/,/^$/{ s/^  \([a-z][a-z-]*\) .*/\1/p }'; }

# The help of a command and of the commands in it, without the exit codes, which the page has in more detail.
help_of() {
  local text name
  text=$("$lockstep" "$@" --help)
  sed '/^Exit codes:/,$d' <<<"$text" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
  for name in $(subcommands <<<"$text"); do
    echo
    help_of "$@" "$name"
  done
}

# The page with the help text that is true now.
refreshed() {  # COMMAND
  { echo '```text'; help_of "$1"; echo '```'; } |
    awk 'NR == FNR { help = help $0 "\n"; next }
         $0 == "<!-- /help -->" { inside = 0 }
         !inside { print }
         $0 == "<!-- help -->" { printf "%s", help; inside = 1 }' - "$pages/$1.md"
}

wrong=0
commands=$("$lockstep" --help | subcommands)
[ -n "$commands" ] || { echo "command_pages: $lockstep --help names no command" >&2; exit 3; }
for command in $commands; do
  page=$pages/$command.md
  if [ ! -e "$page" ] || ! grep -qx '<!-- help -->' "$page" || ! grep -qx '<!-- /help -->' "$page"; then
    echo "command_pages: $page: no page with <!-- help --> and <!-- /help -->" >&2
    wrong=1
    continue
  fi
  grep -qF "]($command.md)" "$pages/README.md" ||
    { echo "command_pages: $pages/README.md does not link $command.md" >&2; wrong=1; }
  text=$(refreshed "$command")
  [ "$text" = "$(cat "$page")" ] && continue
  if $check; then
    diff <(echo "$text") "$page" >&2 || true
    echo "command_pages: $page differs from $lockstep $command --help; run scripts/command_pages.sh" >&2
    wrong=1
  else
    echo "$text" >"$page"
  fi
done
for page in "$pages"/*.md; do
  name=$(basename "$page" .md)
  [ "$name" = README ] || grep -qx "$name" <<<"$commands" ||
    { echo "command_pages: $page: there is no such command" >&2; wrong=1; }
done
exit $wrong
