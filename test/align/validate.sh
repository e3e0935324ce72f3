#!/usr/bin/env bash
# `lockstep align --validate` counts impossible orders for each pair of hosts before and after, writes nothing, and ends with 1
# where probes were wrong: a recording of two hosts as it is, and with every probe shifted by 5 ms.
. "$(dirname "$0")/../lib.sh"
need jq jq
need python3 python3
cp -r "$ROOT/test/data/recordings/two_hosts" "$TMP/run"
rm "$TMP/run/clock_model.json"
"$BUILD/lockstep" align "$TMP/run" --validate >"$TMP/out" || fail "an impossible order is left: $(cat "$TMP/out")"
want_equal "the pair's line" "h0 - h1 150 90 0 - 0" "$(grep '^h0 - h1' "$TMP/out" | xargs)"
[ ! -e "$TMP/run/clock_model.json" ] || fail "--validate wrote a model"

python3 -B - "$TMP/run" <<'END'
import json, sys
for host, shift in (("h0", 5000000), ("h1", -5000000)):
    path = "%s/%s.clock" % (sys.argv[1], host)
    lines = [json.loads(line) for line in open(path)]
    for line in lines:
        if line["type"] == "hull":
            line["pts"] = [[tx, delta + shift, kind, unc] for tx, delta, kind, unc in line["pts"]]
    open(path, "w").write("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
END
status=0
"$BUILD/lockstep" align "$TMP/run" --validate --json >"$TMP/out" || status=$?
want_equal "exit code where probes are wrong" 1 $status
jq -e '.causality_pairs | length == 1 and (.[0] | .a == "h0" and .b == "h1" and .violated_after > 0 and .beyond_interval > 0
  and .worst_after_ns > 4000000)' "$TMP/out" >/dev/null || fail "what is wrong is not counted: $(jq -c .causality_pairs "$TMP/out")"
