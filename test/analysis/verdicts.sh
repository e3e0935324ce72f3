#!/usr/bin/env bash
# 230 simulated jobs of every class, the same each time: 92 of 100 verdicts are exactly right, and an innocent is accused in
# at most three. `make verdicts` judges thousands; docs/measured/verdicts.md has its table.
. "$(dirname "$0")/../lib.sh"
need python3 python3
python3 -B "$ROOT/scripts/verdicts.py" 230 --seed 7 --build "$BUILD" --at-least 0.92 --innocents-at-most 0.03 ||
  fail "fewer verdicts are right, or more innocents are accused"
