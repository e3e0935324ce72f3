#!/usr/bin/env bash
# Every line of operations.csv and top.csv names an operation that `lockstep explain` finds; the lists of single operations,
# communicators and peers are those that SQL finds in a run of real NCCL, and no longer than --top.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/export/record.sh"
need python3 python3
record straggler_split "$TMP/run"
need_duckdb "$TMP/run"
"$BUILD/lockstep" report "$TMP/run" --top 5 >/dev/null
python3 -B - "$TMP/run" <<'END' >"$TMP/examples"
import csv, sys
for name in ("operations.csv", "top.csv"):
    lines = list(csv.DictReader(open(sys.argv[1] + "/" + name)))
    assert lines, name + " is empty"
    for line in lines:
        assert line["example"], "no example: %s" % line
        print(line["example"])
END
sort -u "$TMP/examples" >"$TMP/names"
[ "$(wc -l <"$TMP/names")" -ge 10 ] || fail "few examples: $(cat "$TMP/names")"
while read -r name; do
  "$BUILD/lockstep" explain "$TMP/run" "$name" >"$TMP/out" || fail "$name of the report is not explained"
done <"$TMP/names"

listed() { awk -F, -v category="$1" '$1 == category' "$TMP/run/top.csv" | sed 's/"[^"]*"/x/' | cut -d, -f4; }
query() { "$BUILD/lockstep" query "$TMP/run" --csv "$1" | tail -n +2; }
elapsed="finish_ns - coalesce(api_start_ns, enqueue_ns)"
want_equal "slowest operations" \
  "$(query "SELECT $elapsed FROM operations WHERE assembled IS NULL ORDER BY 1 DESC NULLS LAST LIMIT 5" | xargs)" "$(listed operation | xargs)"
want_equal "communicators" "$(query "SELECT sum($elapsed) FROM operations WHERE assembled IS NULL GROUP BY communicator ORDER BY 1 DESC" | xargs)" \
  "$(listed communicator | xargs)"
want_equal "channels" "$(query "SELECT sent_bytes + received_bytes FROM channels ORDER BY 1 DESC LIMIT 5" | xargs)" "$(listed channel | xargs)"
want_equal "bytes of all channels" \
  "$(query "SELECT sum(sent_bytes), sum(received_bytes), sum(network_ns) FROM operations WHERE kind <> 'assembled'")" \
  "$(query "SELECT sum(sent_bytes), sum(received_bytes), sum(network_ns) FROM channels")"
want_equal "network operations and kernels of all channels" \
  "$(query "SELECT sum(proxy_ops), sum(kernels), sum(steps) FROM operations WHERE kind <> 'assembled'")" \
  "$(query "SELECT sum(proxy_ops), sum(kernels), sum(steps) FROM channels")"
want_equal "total of the network" "$(query "SELECT sum(sent_bytes) FROM channels")" "$(sed -n 's/^network_sent_bytes,//p' "$TMP/run/aggregate.csv")"
want_equal "peers" "$(query "SELECT sent_bytes FROM peer_traffic WHERE sent_bytes > 0 ORDER BY 1 DESC LIMIT 5" | xargs)" \
  "$(listed peer | xargs)"
