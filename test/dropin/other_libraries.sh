#!/usr/bin/env bash
# What loads the plugin decides what is asked for and what the bits are called: RCCL, and the versions of NCCL whose
# kernel channels are dear.
. "$(dirname "$0")/../lib.sh"
need python3 python3
need jq jq
LOCKSTEP=$BUILD/lockstep

# host LIBRARY NAME VERSION TABLE [VARIABLE=VALUE...]: the library, called NAME, records into $TMP/run and says what it
# sees in $TMP/said.
host() {
  local library=$1 name=$2 version=$3 table=$4
  shift 4
  rm -rf "${TMP:?}/run" "${TMP:?}/lib"
  mkdir "$TMP/lib"
  cp "$BUILD/test/$library" "$TMP/lib/$name"
  env LOCKSTEP_ENABLE=1 LOCKSTEP_DIR="$TMP/run" HOST_VERSION="$version" "$@" python3 -c 'import ctypes, sys
sys.exit(ctypes.CDLL(sys.argv[1]).host_run(sys.argv[2].encode(), int(sys.argv[3])))' \
    "$TMP/lib/$name" "$BUILD/libnccl-profiler.so" "$table" >"$TMP/said" 2>&1 || fail "$name does not run: $(cat "$TMP/said")"
  "$LOCKSTEP" verify "$TMP/run" >"$TMP/verified" || fail "verify finds something: $(cat "$TMP/verified")"
}
mask() { sed -n 's/^mask //p' "$TMP/said"; }
of_kind() { "$LOCKSTEP" cat "$TMP/run" | jq -s "[.[] | select(.kind == \"$1\" or .state == \"$1Stop\")] | length"; }
loaded_by() { "$LOCKSTEP" info "$TMP/run" | sed -n 's/^lockstep .*, profiler table \(.*\), clock .*/\1/p'; }
# The kinds of `proxy`, and of `all`, as masks.
proxy=$((0x7f4f)) channels=$((0x40)) all_v6=$((0x7fff)) all_v7=$((0xffff))

# Bit 15 and state 31 are ProxyDiag in RCCL: never asked for, and never recorded as a kernel's phase.
for table in 6 7; do
  host libhost_nccl.so librccl.so.1 23007 $table LOCKSTEP_EVENTS=all
  want_equal "mask under RCCL, table v$table" $all_v6 "$(mask)"
  want_equal "who loaded it" "v$table of rccl 2.30.7" "$(loaded_by)"
  want_equal "records of RCCL's ProxyDiag as phases, table v$table" 0 "$(of_kind KernelPhase)"
  grep -qF "bit 15, RCCL's ProxyDiag (once), bit 20 (2 times)" "$TMP/verified" || fail "verify: $(cat "$TMP/verified")"
  grep -qF "state 31, RCCL's ProxyDiagUpdate (once)" "$TMP/verified" || fail "verify: $(cat "$TMP/verified")"
done
host libhost_rccl.so libnccl.so.2 23007 6 LOCKSTEP_EVENTS=all
want_equal "mask under RCCL with NCCL's file name" $all_v6 "$(mask)"
want_equal "who loaded it" "v6 of rccl 2.30.7" "$(loaded_by)"

# NCCL's own tables.
host libhost_nccl.so libnccl.so.2 23007 6 LOCKSTEP_EVENTS=all
want_equal "mask, table v6" $all_v6 "$(mask)"
want_equal "who loaded it" "v6 of nccl 2.30.7" "$(loaded_by)"
grep -qF "bit 15 (once), bit 20 (2 times)" "$TMP/verified" || fail "verify: $(cat "$TMP/verified")"
host libhost_nccl.so libnccl.so.2 23203 7 LOCKSTEP_EVENTS=all
want_equal "mask, table v7" $all_v7 "$(mask)"
want_equal "records of phases: two states, a start and a stop" 4 "$(of_kind KernelPhase)"
grep -qF "bit 20 (2 times)" "$TMP/verified" || fail "verify: $(cat "$TMP/verified")"

# 2.31.0 to 2.32.2: without kernel channels, unless they were asked for; said once, and kept in the segment.
dear="kernel channels (KernelCh) are"
for version in 23100 23102 23202; do
  host libhost_nccl.so libnccl.so.2 $version 7
  want_equal "mask by default in $version" $((proxy & ~channels)) "$(mask)"
  want_equal "times it is said in $version" 1 "$(grep -c "$dear not recorded" "$TMP/said")"
  want_equal "notes in the segment" 1 "$(grep -c "$dear not recorded" "$TMP/verified")"
done
want_equal "kinds that the segment names" $((proxy & ~channels)) \
  "$("$LOCKSTEP" info "$TMP/run" --json | jq '[.. | .activation_mask? // empty] | first')"
"$LOCKSTEP" report "$TMP/run" >"$TMP/report"
grep -qF "$dear not recorded" "$TMP/run/summary.md" || fail "the report does not say on what arrivals rest: $(cat "$TMP/run/summary.md")"
"$LOCKSTEP" export "$TMP/run" --to csv -o "$TMP/csv" >/dev/null
column() { awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) at = i } NR == 2 { print $at }' "$TMP/csv/$1.csv"; }
want_equal "the tag of the call" 77 "$(column operations user_tag)"
rm -r "$TMP/csv"

for version in 23007 23203; do
  host libhost_nccl.so libnccl.so.2 $version 7
  want_equal "mask by default in $version" $proxy "$(mask)"
  grep -q "$dear" "$TMP/said" && fail "$version: $(cat "$TMP/said")"
done
host libhost_nccl.so libnccl.so.2 23102 7 LOCKSTEP_EVENTS=proxy
want_equal "mask when asked for" $proxy "$(mask)"
grep -q "$dear" "$TMP/said" && fail "it warns of what was asked for: $(cat "$TMP/said")"
host libhost_nccl.so libnccl.so.2 23102 7 LOCKSTEP_PROMETHEUS_DIR="$TMP/metrics"
want_equal "mask for the metrics" $proxy "$(mask)"
want_equal "times it is said" 1 "$(grep -c "$dear recorded for the files" "$TMP/said")"
host libhost_nccl.so libnccl.so.2 23007 6
"$LOCKSTEP" export "$TMP/run" --to csv -o "$TMP/csv" >/dev/null
want_equal "no tag before table v7" "" "$(column operations user_tag)"
