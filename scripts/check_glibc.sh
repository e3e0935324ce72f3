#!/usr/bin/env bash
# check_glibc.sh FILE [CEILING]: prints the newest GLIBC version that FILE needs; with a ceiling such as 2.17, exit 1
# when it needs a newer one, naming the symbols that do.
set -u
file=${1:?usage: check_glibc.sh FILE [CEILING]}
ceiling=${2:-}
[ -r "$file" ] || { echo "$file: cannot be read"; exit 3; }
needs=$("${OBJDUMP:-objdump}" -T "$file" | sed -nE 's/.*\(?GLIBC_([0-9.]+)\)?[[:space:]]+(.*)/\1 \2/p' | sort -V)
newest=$(echo "$needs" | tail -1 | cut -d' ' -f1)
echo "$file needs GLIBC_${newest:-(none)}"
[ -z "$ceiling" ] || [ -z "$newest" ] && exit 0
over=$(echo "$needs" | while read -r version symbol; do
  [ "$(printf '%s\n%s\n' "$version" "$ceiling" | sort -V | tail -1)" = "$ceiling" ] || echo "  $symbol@GLIBC_$version"
done)
[ -z "$over" ] && exit 0
echo "$file needs more than GLIBC_$ceiling:"
echo "$over"
exit 1
