#!/usr/bin/env bash
# What bash completes after `lockstep`, on stdout: scripts/completion.sh docs/commands. Commands, options and values come
# from the help texts in the pages there, which test/cli/command_pages keeps equal to what --help prints.
set -euo pipefail
pages=$1
commands=$(sed -n 's/^| \[\([a-z]*\)\](.*/\1/p' "$pages/README.md" | tr '\n' ' ')

# The lines of two tables: which words may follow a COMMAND, and which values an OPTION of it, or its own arguments after
# the first, have. An option whose values nobody can list has an empty one.
table() {  # table WORDS|VALUES
  awk -v wanted="$1" '
    function end_of_values() {
      if (wanted == "VALUES" && key != "") printf "    %s) echo \"%s\" ;;\n", key, values
      key = values = ""
    }
    function end_of_command() {
      end_of_values()
      if (wanted == "WORDS" && command != "") printf "    \"%s\") echo \"%s\" ;;\n", command, words
      command = words = section = ""
    }
    function add_value(value) {
      if (index(" " values " ", " " value " ") == 0) values = values (values == "" ? "" : " ") value
    }
    /^<!-- \/?help -->$/ { end_of_command(); inside = !/\// }
    !inside { next }
    /^Usage: lockstep / { end_of_command(); command = $0; gsub(/^Usage: lockstep | \[OPTIONS\].*/, "", command) }
    /^[A-Z][a-z]*:$/ { section = $1 }
    section == "Options:" && /^  -/ {
      end_of_values()
      name = $1; sub(/.*,/, "", name); sub(/\{.*/, "", name)  # --option{what it is without a value}
      words = words (words == "" ? "" : " ") name
      if (!/^  [^ ]+ [^ ]/ || $2 ~ /:$/) next  # no value follows its name
      key = "\"" command " " name "\""
      if ($1 != name) key = "\"" command " " substr($1, 1, 2) "\" | " key
    }
    section == "Positionals:" && / \| / {  # status | events none, all, a preset or kinds | ...
      sub(/.*  +/, ""); key = "\"" command "\""; count = split($0, parts, " \\| ")
      for (i = 1; i <= count; ++i) { sub(/ .*/, "", parts[i]); add_value(parts[i]) }
      end_of_values()
    }
    section == "Options:" && key != "" && /^ +[a-z-]+: / { add_value(substr($1, 1, length($1) - 1)) }
    section == "Subcommands:" && /^  [a-z]/ { words = words " " $1 }' "$pages"/*.md
}

cat <<END
# Completion of lockstep's commands, their options and run directories for bash. Made by scripts/completion.sh.

_lockstep_words() {  # COMMAND: what may follow it
  case \$1 in
    "") echo "$commands--help --version" ;;
$(table WORDS)
  esac
}

# COMMAND OPTION: the values of an option that takes one, where they can be listed. COMMAND: those of its own arguments
# after the first. Fails where no value is expected.
_lockstep_values() {
  case \$1 in
$(table VALUES)
    *) return 1 ;;
  esac
}
END
cat <<'END'

# Directories that begin with $1 and hold segments, or that hold such directories.
_lockstep_runs() {
  local directory
  compgen -d -- "$1" | while IFS= read -r directory; do
    [ -z "$(find "${directory/#\~\//$HOME/}/" -maxdepth 2 -name '*.lks' -print -quit 2>/dev/null)" ] || echo "$directory"
  done
}

# An empty answer lets bash complete names of files.
_lockstep() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command="" arguments=0 word values i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    case $word in
      --) return ;;  # the program that `lockstep run` records
      -*) _lockstep_values "$command $word" >/dev/null && ((++i)) ;;
      *) if [ -z "$command" ]; then command=$word
         elif [[ " $(_lockstep_words "$command") " == *" $word "* ]]; then command="$command $word"
         else ((++arguments)); fi ;;
    esac
  done
  if values=$(_lockstep_values "$command $previous"); then
    [ -n "$values" ] || return
  elif [[ $current == -* ]]; then
    values=$(_lockstep_words "$command" | tr ' ' '\n' | grep '^-')
  elif ((arguments == 0)); then
    values=$(_lockstep_words "$command" | tr ' ' '\n' | grep -v '^-')
  else
    values=$(_lockstep_values "$command")
  fi
  if [ -n "$values" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
  elif ((arguments == 0)) || [ "$command" = "runs rm" ]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(_lockstep_runs "$current")
  fi
}

complete -o bashdefault -o default -F _lockstep lockstep
END
