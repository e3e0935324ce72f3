#!/usr/bin/env bash
# The Perfetto export of a recorded run decodes with protoc without unknown fields and holds every operation and event.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/export/record.sh"
lockstep=$BUILD/lockstep
need jq jq
need protoc protobuf-compiler
record straggler "$TMP/run"

"$lockstep" export "$TMP/run" --to perfetto -o "$TMP/trace" --json >"$TMP/summary"
protoc --decode=lockstep.perfetto.Trace -I "$ROOT/test/export" "$ROOT/test/export/perfetto.proto" \
  <"$TMP/trace" >"$TMP/text" || fail "protoc cannot decode the export"
if grep -qE '^ *[0-9]+[:{ ]' "$TMP/text"; then fail "the export uses fields that perfetto.proto does not name"; fi

operations=$(started Coll)
count() { grep -c "$1" "$TMP/text" || true; }
want_equal "operations in the file" "$operations" "$(count 'categories: "operation"')"
want_equal "operations in the summary" "$operations" "$(jq .written.operations "$TMP/summary")"
want_equal "network steps in the file" "$(started ProxyStep)" "$(count 'categories: "proxy_step"')"
for kind in ProxyOp KernelCh GroupApi CollApi KernelLaunch ProxyCtrl; do
  want_equal "$kind events in the file" "$(started $kind)" "$(count "categories: \"$kind\"")"
done
want_equal "beginnings and ends" "$(count TYPE_SLICE_BEGIN)" "$(count TYPE_SLICE_END)"
want_equal "one flow for every operation matched across ranks" $((operations / 4)) \
  "$(grep -o 'terminating_flow_ids: .*' "$TMP/text" | sort -u | wc -l)"
want_equal "names of notes that stand in the file more than once" "" \
  "$(grep -A2 debug_annotation_names "$TMP/text" | sed -n 's/^ *name: //p' | sort | uniq -d)"
for rank in 0 1 2 3; do
  grep -q "process_name: \"rank $rank, " "$TMP/text" || fail "rank $rank has no process track"
done
want_equal "process ids are the processes' own" \
  "$(find "$TMP/run" -name '*.lks' -printf '%f\n' | cut -d. -f2 | sort -nu | paste -sd' ')" \
  "$(sed -n 's/^ *pid: //p' "$TMP/text" | sort -n | paste -sd' ')"
grep -qE 'name: "calls thread [0-9]+ \(lockstep-replay\)"' "$TMP/text" || fail "no track has the name of its thread"

"$lockstep" export "$TMP/run" --to perfetto -o "$TMP/trace.gz" >"$TMP/out"
gzip -dc "$TMP/trace.gz" | cmp - "$TMP/trace" || fail "what is compressed differs"
