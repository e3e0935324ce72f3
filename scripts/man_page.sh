#!/usr/bin/env bash
# A man page, on stdout, from a page of docs/commands: scripts/man_page.sh docs/commands/COMMAND.md. It knows what those
# pages use: headings, paragraphs, fenced code, tables of two columns, lists, `code`, **bold** and links.
set -euo pipefail
page=$1
version=$(sed -n 's/.*kVersion.*"\(.*\)".*/\1/p' "$(dirname "$0")/../include/lockstep/version.h")
awk -v version="$version" '
  # Characters that roff would take for its own.
  function escaped(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    return text
  }
  function guarded(text) { return text ~ /^[.\047]/ ? "\\&" text : text }
  # Text outside code: links become their words, `code` and **bold** become bold.
  function inline(text,    parts, count, i, out) {
    while (match(text, /\[[^]]*\]\([^)]*\)/)) {
      link = substr(text, RSTART, RLENGTH)
      words = link
      sub(/^\[/, "", words)
      sub(/\]\(.*$/, "", words)
      text = substr(text, 1, RSTART - 1) words substr(text, RSTART + RLENGTH)
    }
    count = split(text, parts, /`|\*\*/)
    out = ""
    for (i = 1; i <= count; ++i) out = out (i % 2 == 0 ? "\\fB" escaped(parts[i]) "\\fR" : escaped(parts[i]))
    return guarded(out)
  }
  function trimmed(text) { gsub(/^ +| +$/, "", text); return text }
  NR == 1 {
    title = substr($0, 3)
    about = title
    sub(/^[^:]*: /, "", about)
    name = title
    sub(/:.*/, "", name)
    gsub(/ /, "-", name)
    printf ".TH %s 1 \"\" \"lockstep %s\" \"lockstep\"\n", toupper(name), version
    printf ".SH NAME\n%s \\- %s\n.SH DESCRIPTION\n", escaped(name), inline(about)
    next
  }
  /^<!-- .* -->$/ { next }
  /^```/ {
    code = !code
    print code ? ".PP\n.nf\n.RS 2" : ".RE\n.fi"
    paragraph = 0
    next
  }
  code { print guarded(escaped($0)); next }
  /^## / { print ".SH " toupper(inline(substr($0, 4))); paragraph = rows = 0; started = 1; next }
  /^\|[-|: ]*\|$/ { next }
  /^\|/ {
    if (rows++ == 0) next  # the header of the table
    split($0, cells, "|")
    print ".TP\n" inline(trimmed(cells[2])) "\n" inline(trimmed(cells[3]))
    next
  }
  /^- / { print ".IP \\(bu 2\n" inline(substr($0, 3)); next }
  /^$/ { if (rows) rows = 0; paragraph = 1; next }
  {
    if (paragraph && started != 1) print ".PP"
    started = paragraph = 0
    print inline(trimmed($0))
  }' "$page"
