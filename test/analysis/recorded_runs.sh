#!/usr/bin/env bash
# Runs, call logs and recordings of real NCCL whose truth is known: who is named, each cause once, and nobody else.
. "$(dirname "$0")/../lib.sh"
need jq jq
"$ROOT/scripts/stored_verdicts.sh" || fail "not all verdicts are the truth"
