#!/usr/bin/env bash
# timeout: 600
# The SQL of NVIDIA's exporter over our lines: the same columns and types in 100 files, and the averages that the
# emulator's own clock gives.
. "$(dirname "$0")/../lib.sh"
need node nodejs
need python3 python3
bindings=$ROOT/node_modules/@duckdb/node-bindings-linux-x64/duckdb.node
[ -f "$bindings" ] || skip "no DuckDB for node (scripts/install_deps.sh)"
export NCCL_INSPECTOR_ENABLE=1 NCCL_INSPECTOR_DUMP_DIR=$TMP/lines LOCKSTEP_CLOCK=0
for job in $(seq 25); do
  LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-emulate" --ranks 4 --iterations 6 --seed "$job" --sendrecv \
    --ops allreduce allgather reducescatter --sizes 64K 1M --truth "$TMP/truth$job" "$BUILD/libnccl-profiler.so" \
    >"$TMP/counts" 2>&1 || fail "job $job: $(cat "$TMP/counts")"
done
mkdir "$TMP/scratch"
node "$ROOT/test/dropin/exporter_sql.mjs" "$TMP/lines" "$TMP/scratch" "$bindings" >"$TMP/answer" || fail "the SQL does not run"
python3 - "$TMP" <<'P' || fail "see above"
import collections, glob, json, sys
where = sys.argv[1]
answer = json.load(open(where + "/answer"))
if answer["files"] != 100: sys.exit("%d files" % answer["files"])
if len(answer["types"]) != 1: sys.exit("the files differ in their columns: %s" % answer["types"])
for column in ("id VARCHAR", "coll_sn BIGINT", "coll_msg_size_bytes BIGINT", "coll_busbw_gbs DOUBLE", "n_ranks BIGINT"):
    if column not in answer["types"][0].split(", "): sys.exit("no column '%s' in %s" % (column, answer["types"][0]))
# As NCCL's tests define them: traffic and factor of n ranks, n = 4.
bus = {"AllReduce": 1.5, "AllGather": 3.0, "ReduceScatter": 3.0}
one, lines = collections.defaultdict(list), 0
for path in glob.glob(where + "/truth*"):
    calls = {}
    for line in open(path):
        row = json.loads(line)
        if row["type"] == "call" and row["function"] in bus: calls[row["id"]] = row
        if row["type"] == "done" and row["id"] in calls:
            call = calls[row["id"]]
            size = call["size_bytes"]  # of AllGather and ReduceScatter: what one rank has
            busbw = size * bus[call["function"]] / (row["kernel_ns"] // 1000 * 1000)
            one[call["function"], size, call["comm_id"], call["ordinal"]].append(busbw)
            lines += 1
if answer["rows"] != lines: sys.exit("%d rows of %d operations" % (answer["rows"], lines))
means = collections.defaultdict(list)
for (function, size, _, _), ranks in one.items(): means["%s %d" % (function, size)].append(sum(ranks) / len(ranks))
if set(means) != set(answer["means"]): sys.exit("%s, expected %s" % (sorted(answer["means"]), sorted(means)))
for name, values in sorted(means.items()):
    told, mean = answer["means"][name], sum(values) / len(values)
    if int(told["n"]) != len(values): sys.exit("%s: %s operations, expected %d" % (name, told["n"], len(values)))
    if int(told["fewest"]) != 4 or int(told["most"]) != 4: sys.exit("%s: not four ranks each" % name)
    if abs(told["busbw"] - mean) > 1e-5: sys.exit("%s: %f GB/s, the emulator says %f" % (name, told["busbw"], mean))
    print("%s: %d operations, mean bus bandwidth %.6f GB/s" % (name, len(values), mean))
P
