# Sourced after lib.sh by tests of what a command shows in a real terminal: the terminal `top` of a tmux of this test's own,
# opened with `terminal new-session -d -s top ...` and ended with `terminal kill-server`.
# shellcheck shell=bash
unset TMUX
terminal() { tmux -S "$TMP/tmux" -f /dev/null "$@"; }
screen() { terminal capture-pane -p -t top; }
# sees WHAT PATTERN: the screen comes to show it.
sees() {
  for _ in $(seq 300); do
    screen >"$TMP/screen"
    grep -qE "$2" "$TMP/screen" && return
    sleep 0.1
  done
  fail "$1: $(cat "$TMP/screen")"
}
type() { terminal send-keys -t top "$@"; }
