#!/usr/bin/env bash
# `lockstep info` names the parent of each communicator that real NCCL split, with the number of the split and the color, and no
# parent where the id is not made from one.
. "$(dirname "$0")/../lib.sh"
need jq jq
splits() { "$BUILD/lockstep" info "$1" --json | jq -c '[.processes[].communicators[] | select(.parent_id) |
  [.name, .split_number, .split_color, .parent_id]] | unique'; }
LOCKSTEP_EVENTS=all LOCKSTEP_DIR=$TMP/split "$BUILD/lockstep-replay" "$BUILD/libnccl-profiler.so" --virtual \
  "$ROOT"/test/data/calls/split_finalize.*.txt.zst >/dev/null
world=$(printf %u 0x95be1241678f7151)
# jq reads numbers of 64 bits as doubles: names, numbers and colors are compared here, and the parent in the text below.
want_equal "splits" '[["split0",1,0],["split0",1,1],["split1",2,0],["split1",2,1]]' "$(splits "$TMP/split" | jq -c 'map(.[0:3]) | unique')"
"$BUILD/lockstep" info "$TMP/split" | grep '^communicator ' >"$TMP/text"
want_equal "parents in text" 4 "$(grep -c ' of world (0x95be1241678f7151)$' "$TMP/text")"
grep -q '^communicator split1 (0xa7a282e3688fb9ee) is of split 2, color 1, of ' "$TMP/text" || fail "$(cat "$TMP/text")"
grep -q "\"parent_id\":$world" <<<"$("$BUILD/lockstep" info "$TMP/split" --json)" || fail "the parent's id is not in the JSON"

want_equal "splits of four ranks in turn" 4 "$("$BUILD/lockstep" info "$ROOT/test/data/recordings/hang_ahead" | grep -c ' of world (0x')"
want_equal "splits where there is one communicator" '[]' "$(splits "$ROOT/test/data/recordings/two_hosts")"
LOCKSTEP_DIR=$TMP/emulated "$BUILD/lockstep-emulate" --ranks 2 --comms 2 --split --iterations 2 "$BUILD/libnccl-profiler.so" >/dev/null
want_equal "splits of communicators whose ids are made otherwise" '[]' "$(splits "$TMP/emulated")"
