#!/usr/bin/env bash
# What a program calls a communicator (ncclConfig_t's commName: PyTorch gives its process group's name) is what tables and
# reports call it: in calls of real NCCL with a world and two splits.
. "$(dirname "$0")/../lib.sh"
lockstep=$BUILD/lockstep
LOCKSTEP_EVENTS=all LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-replay" "$BUILD/libnccl-profiler.so" --virtual \
  "$ROOT"/test/data/calls/split_finalize.*.txt.zst >/dev/null
grep -q '^communicator split0 ' <<<"$("$lockstep" info "$TMP/run")" || fail "info: $("$lockstep" info "$TMP/run")"
"$lockstep" report "$TMP/run" --force >/dev/null || [ $? = 1 ] || fail "report"
grep -q '^| world | 4 |' "$TMP/run/summary.md" || fail "summary.md does not name the communicator"
need_duckdb "$TMP/run"
names() { "$lockstep" query "$TMP/run" --csv "$1" | tail -n +2 | xargs; }
# Their parents, as `info` finds them.
want_equal "splits" "split0,world,1,0 split0,world,1,1 split1,world,2,0 split1,world,2,1" "$(names "SELECT c.name, p.name, c.split_number, c.split_color
  FROM communicators c JOIN communicators p ON p.communicator = c.parent ORDER BY ALL")"
want_equal "communicators without a parent" world "$(names "SELECT name FROM communicators WHERE parent IS NULL")"
want_equal "communicators" "split0 split1 world" "$(names "SELECT DISTINCT name FROM communicators ORDER BY name")"
want_equal "ops" "$(names "SELECT DISTINCT c.name FROM operations JOIN communicators c USING (communicator) ORDER BY 1")" \
  "$(names "SELECT DISTINCT comm FROM ops ORDER BY 1")"
