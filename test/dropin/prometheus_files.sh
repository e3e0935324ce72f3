#!/usr/bin/env bash
# A process's Prometheus files outlive it with its last values; the next process there, or `lockstep recover`, removes
# those whose time is over.
. "$(dirname "$0")/../spine/lib.sh"
export LOCKSTEP_PROMETHEUS_DIR=$TMP/prom
storm() { LOCKSTEP_DIR=$1 "$BUILD/lockstep-storm" "$PLUGIN" --operations 50 >/dev/null; }
left() { find "$TMP/prom" -name '*.prom' | wc -l; }
grow_old() { touch -d '2 minutes ago' "$TMP"/prom/*.prom; }

LOCKSTEP_PROMETHEUS_KEEP_S=0 storm "$TMP/at-exit"
want_equal "files kept for 0 s after their process" 0 "$(left)"

storm "$TMP/first"
want_equal "files of a process that ended" 2 "$(left)"
want_equal "operations in them" 100 "$(awk '/^lockstep_operations_total/ {n += $NF} END {print n}' "$TMP"/prom/lockstep_*.prom)"

"$LOCKSTEP" recover "$TMP/first" >/dev/null
want_equal "files after recover within their time" 2 "$(left)"
grow_old
"$LOCKSTEP" recover "$TMP/first" >/dev/null
want_equal "files after recover, past their time" 0 "$(left)"

storm "$TMP/second"
grow_old
storm "$TMP/third"
want_equal "files of the last process alone" 2 "$(left)"
want_equal "old files left by the next process" 0 "$(find "$TMP/prom" -name '*.prom' -mmin +1 | wc -l)"
