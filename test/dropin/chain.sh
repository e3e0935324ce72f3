#!/usr/bin/env bash
# timeout: 600
# A plugin behind ours gets the calls it gets alone: for every recorded log, several masks and every table.
. "$(dirname "$0")/../lib.sh"
record=$BUILD/test/librecord.so
plugin=$BUILD/libnccl-profiler.so

# calls NAME TABLE MASK LOG...: one sorted text of all threads' calls; a thread's own order stays.
calls() {
  local dir=$TMP/$1 table=$2 mask=$3 library=$record
  shift 3
  rm -rf "$dir" && mkdir "$dir"
  [ "$(basename "$dir")" = chained ] && library=$plugin
  RECORD_DIR=$dir RECORD_MASK=$mask "$BUILD/lockstep-replay" --fast --apply-mask --table "$table" "$library" "$@" >"$dir.counts" 2>&1 ||
    fail "the replay ended badly: $(cat "$dir.counts")" >&2
  # Files are named by thread ids; what they hold is compared.
  for file in "$dir"/*.txt; do sha256sum <"$file"; done | sort
}

compare() {  # compare TABLE MASK LOG...
  local alone chained
  alone=$(calls alone "$@")
  chained=$(LOCKSTEP_CHAIN=$record LOCKSTEP_DIR=$TMP/run LOCKSTEP_CLOCK=0 LOCKSTEP_EVENTS=${events:-proxy} calls chained "$@")
  if [ "$alone" != "$chained" ]; then
    diff <(cat "$TMP"/alone/*.txt | sort) <(cat "$TMP"/chained/*.txt | sort) >"$TMP/difference" || true
    head -20 "$TMP/difference"
    fail "table $1, mask $2, ${*:3}: the calls differ"
  fi
  ! grep -hl FOREIGN "$TMP"/chained/*.txt >/dev/null || fail "a handle or context of ours reached the other plugin"
  cat "$TMP"/alone/*.txt | wc -l >>"$TMP/compared"
}

for log in "$ROOT"/test/data/calls/*.zst; do
  case $log in *mix_v4*) table=v4 ;; *) table=v6 ;; esac
  compare $table 0xffff "$log"
  compare $table 0x42 "$log"
done
mix=$ROOT/test/data/calls/mix.0.txt.zst
for table in v3 v4 v5 v7; do compare $table 0xff "$mix"; done
for mask in 0x1 0x8 0x10 0x20 0x80 0x100 0x800; do events=0x800 compare v6 $mask "$mix"; done
# A plugin that has an old table alone, behind NCCL's newest: as if NCCL had loaded it through its own shim.
for old in v1 v2 v3; do
  for log in "$mix" "$ROOT"/test/data/calls/netplugin_allreduce.0.txt.zst "$ROOT"/test/data/calls/grouped_sendrecv.0.txt.zst; do
    alone=$(calls alone $old 0xff "$log")
    chained=$(LOCKSTEP_CHAIN=$BUILD/test/librecord_$old.so LOCKSTEP_DIR=$TMP/run LOCKSTEP_CLOCK=0 calls chained v6 0xff "$log")
    [ "$alone" = "$chained" ] || {
      diff <(cat "$TMP"/alone/*.txt | sort) <(cat "$TMP"/chained/*.txt | sort) | head -20
      fail "a plugin with table $old alone, $log: the calls differ"
    }
    cat "$TMP"/alone/*.txt | wc -l >>"$TMP/compared"
  done
done
echo "$(awk '{sum += $1} END {print sum}' "$TMP/compared") calls compared"

# A plugin that changes its mask at run time gets what it gets alone: Coll from the beginning, KernelCh after 100 of them,
# nothing after 200. Ours records API calls only, so its wishes must reach NCCL's mask. Prints Colls and kernels.
switching() { # NAME LIBRARY
  mkdir "$TMP/$1"
  RECORD_DIR=$TMP/$1 RECORD_MASK=0x2 RECORD_SWITCH=100:0x42,200:0 LOCKSTEP_DIR=$TMP/$1.run LOCKSTEP_EVENTS=api LOCKSTEP_CLOCK=0 \
    "$BUILD/lockstep-emulate" --ranks 2 --iterations 300 --channels 2 "$2" >"$TMP/$1.out" 2>&1 || fail "$(cat "$TMP/$1.out")" >&2
  for rank in $(find "$TMP/$1" -name '*.txt' -exec basename {} \; | cut -d. -f1 | sort -u); do
    echo "$(cat "$TMP/$1/$rank".*.txt | grep -c '^start Coll ') $(cat "$TMP/$1/$rank".*.txt | grep -c '^start KernelCh ')"
  done
}
want_equal "Colls and kernels of a plugin alone" "200 200 200 200" "$(switching mask_alone "$record" | xargs)"
want_equal "Colls and kernels of a plugin behind ours" "200 200 200 200" \
  "$(LOCKSTEP_CHAIN=$record switching mask_chained "$plugin" | xargs)"

# The real Inspector, or Example, behind ours writes the files that ours would write: then ours does not.
outputs() { # NAME: the files made beside a chained plugin of that name
  rm -rf "$TMP/files" && mkdir -p "$TMP/files" "$TMP/calls"
  RECORD_NAME=$1 RECORD_DIR=$TMP/calls LOCKSTEP_CHAIN=$record LOCKSTEP_DIR=$TMP/files.run LOCKSTEP_CLOCK=0 \
    NCCL_INSPECTOR_ENABLE=1 NCCL_INSPECTOR_DUMP_DIR=$TMP/files NCCL_PROFILE_DUMP_FILE=$TMP/files/trace \
    "$BUILD/lockstep-emulate" --ranks 2 --iterations 3 "$plugin" >"$TMP/files.out" 2>&1 || fail "$(cat "$TMP/files.out")" >&2
  find "$TMP/files" -type f | sed 's/.*\.//' | sort -u | xargs
}
want_equal "files beside another plugin" "json log" "$(outputs another)"
want_equal "files beside an Inspector" "json" "$(outputs Inspector)"
want_equal "files beside an Example" "log" "$(outputs Example-profiler-v6)"
