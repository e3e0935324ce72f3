#!/usr/bin/env bash
# `lockstep export --no-correct` writes each host's own times where the run has a clock model: a recording of two hosts whose
# clocks differ by 8,500 s, whose raw times are those of `lockstep cat`.
. "$(dirname "$0")/../lib.sh"
need python3 python3
cp -r "$ROOT/test/data/recordings/two_hosts" "$TMP/run"
"$BUILD/lockstep" export "$TMP/run" --to csv -o "$TMP/corrected" >/dev/null
"$BUILD/lockstep" export "$TMP/run" --to csv -o "$TMP/raw" --no-correct >/dev/null
"$BUILD/lockstep" cat "$TMP/run" --kind CollApi >"$TMP/records"
python3 -B - "$TMP" <<'END' || fail "see above"
import csv, json, sys
folder = sys.argv[1]
def starts(name):
    hosts = {row["process"]: row["host"] for row in csv.DictReader(open("%s/%s/processes.csv" % (folder, name)))}
    found = {}
    for row in csv.DictReader(open("%s/%s/operations.csv" % (folder, name))):
        if row["kind"] == "collective":
            found.setdefault(hosts[row["process"]], []).append(int(row["api_start_ns"]))
    return found
own = {}
for line in open(folder + "/records"):
    record = json.loads(line)
    if record["call"] == "start":
        own.setdefault(record["host"], []).append(record["raw_ns"])
raw, corrected = starts("raw"), starts("corrected")
assert raw == own, "times without correction are not those of the records"
assert corrected["h0"] == raw["h0"], "the reference was moved"
moved = {after - before for after, before in zip(raw["h1"], corrected["h1"])}
assert all(abs(ns - 8500 * 10**9) < 1000 for ns in moved) and len(raw["h1"]) == 60, moved
END
