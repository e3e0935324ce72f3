#!/usr/bin/env bash
# Installs the documents: scripts/install_docs.sh PREFIX/share makes man/man1/lockstep.1 and lockstep-COMMAND.1 from the
# pages of docs/commands, and doc/lockstep/ with the folders as they are here, so that links between pages hold.
set -euo pipefail
share=$(realpath -m "${1:?usage: scripts/install_docs.sh PREFIX/share}")
cd "$(dirname "$0")/.."
install -d "$share/man/man1"
for page in docs/commands/*.md; do
  name=$(basename "$page" .md)
  man=lockstep-$name.1
  [ "$name" = README ] && man=lockstep.1
  scripts/man_page.sh "$page" >"$share/man/man1/$man"
  chmod 644 "$share/man/man1/$man"
done
for file in README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md LICENSE docs/*.* docs/*/*.* slurm/*; do
  mode=644
  [ -x "$file" ] && mode=755  # task prologs and epilogs are run as they are
  install -D -m "$mode" "$file" "$share/doc/lockstep/$file"
done
