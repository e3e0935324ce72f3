#!/usr/bin/env bash
# `make install` puts a plugin that loads and a command that runs where it is told, under both names NCCL looks for.
. "$(dirname "$0")/../lib.sh"
[ -e "$BUILD/libnccl-profiler.so" ] || skip "the plugin is not built"
cd "$ROOT"
make install PREFIX=/opt/lockstep DESTDIR="$TMP/root" BUILD="$BUILD" >"$TMP/log" 2>&1 || { cat "$TMP/log"; fail "make install"; }
prefix=$TMP/root/opt/lockstep
for name in libnccl-profiler.so libnccl-profiler-lockstep.so; do
  "$BUILD/lockstep-load" "$prefix/lib/$name" >"$TMP/log" || { cat "$TMP/log"; fail "$name does not load"; }
done
"$prefix/bin/lockstep" --version | grep -q '^lockstep [0-9]' || fail "the command does not run"

completion=$prefix/share/bash-completion/completions/lockstep
bash --norc -c '. "$1" && complete -p lockstep' bash "$completion" >/dev/null || fail "bash learns nothing from $completion"

# A man page for the program and for each of its commands, that renders without a warning.
pages=$prefix/share/man/man1
[ -s "$pages/lockstep.1" ] || fail "there is no lockstep.1"
for command in $("$prefix/bin/lockstep" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  grep -q "^lockstep.-$command .- ." "$pages/lockstep-$command.1" || fail "lockstep-$command.1 has no name line"
  grep -q "Usage: lockstep $command" "$pages/lockstep-$command.1" || fail "lockstep-$command.1 does not say how to call it"
done
if command -v groff >/dev/null; then
  for page in "$pages"/*.1; do
    groff -man -Tutf8 -ww "$page" >/dev/null 2>"$TMP/log"
    [ ! -s "$TMP/log" ] || { cat "$TMP/log"; fail "$(basename "$page") does not render cleanly"; }
  done
fi

# The documents, whose links to each other hold there; the SLURM scripts can be run.
doc=$prefix/share/doc/lockstep
[ -x "$doc/slurm/epilog.sh" ] || fail "the epilog cannot be run"
while IFS=: read -r page link; do
  target=$(dirname "$page")/${link%%#*}
  [ -e "$target" ] || fail "$page: link to $link, which is not installed"
done < <(grep -oE --include='*.md' -r '\]\([^)#:]+(#[^)]*)?\)' "$doc/docs" "$doc/README.md" | sed 's/\](\(.*\))$/\1/')
