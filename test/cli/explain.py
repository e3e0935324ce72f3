"""Holds `lockstep explain --json` of an operation against what the recording says without it: explain.py RUN NAME EXPLAINED.
Which records belong to it follows from ids and parents in `lockstep cat` (RUN.records), common times from the knots in
clock_model.json, and columns from `lockstep query` (RUN.operations, RUN.arrivals)."""

import bisect
import json
import sys

run, name, explained_file = sys.argv[1:4]
explained = json.load(open(explained_file))
records = [json.loads(line) for line in open(run + ".records")]
operation, = [row for row in json.load(open(run + ".operations"))
              if row["event_id"] == explained["event_id"] and row["host"] == explained["host"]]
model = {host["host"]: host for host in json.load(open(run + "/clock_model.json"))["hosts"]}[operation["host"]]


def between(raw, what):
    """On the line between two knots."""
    right = bisect.bisect_right(model["t"], raw)
    assert 0 < right < len(model["t"]), "%d is outside of the model" % raw
    (x0, x1), (y0, y1) = [values[right - 1:right + 1] for values in (model["t"], model[what])]
    return y0 + (y1 - y0) * (raw - x0) / (x1 - x0)


own = [record for record in records if record["host"] == operation["host"] and "id" in record]
parent_of = {record["id"]: record["parent"] for record in own if record["call"] == "start"}
kind_of = {record["id"]: record["kind"] for record in own}
above, at = set(), operation["event_id"]
while parent_of.get(at):
    at = parent_of[at]
    above.add(at)


def belongs(event):
    if event in above or event == operation["event_id"]:
        return True
    if kind_of[event] == "KernelLaunch":
        return parent_of[event] in above
    while event in parent_of:
        event = parent_of[event]
        if event == operation["event_id"]:
            return True
    return False


wanted = sorted((record["raw_ns"], record["id"], record["tid"], record["thread"]) for record in own if belongs(record["id"]))
host_stamps = [stamp for stamp in explained["stamps"] if stamp["clock"] == "ticks"]
found = sorted((stamp["raw_ns"], stamp["event_id"], stamp["tid"], stamp["thread"]) for stamp in host_stamps)
assert found == wanted, "%s: stamps that are not the records: %s" % (name, set(found) ^ set(wanted))
assert len(found) > 20, "%s: %d stamps" % (name, len(found))

gpu = [r["p_timer"] for r in own if belongs(r["id"]) and r["kind"] == "KernelCh" and r["call"] == "start"]
gpu += [r["argument"] for r in own if belongs(r["id"]) and r.get("state") == "KernelChStop"]
assert sorted(gpu) == sorted(s["stored"] for s in explained["stamps"] if s["clock"] == "gpu"), name + ": GPU stamps"

for stamp in host_stamps:
    theta, lo, hi = (between(stamp["raw_ns"], what) for what in ("theta", "lo", "hi"))
    assert abs(stamp["run_ns"] - (stamp["raw_ns"] - theta)) <= 1, "%s: %s" % (name, stamp)
    assert abs(stamp["early_ns"] - (hi - theta)) <= 2 and abs(stamp["late_ns"] - (theta - lo)) <= 2, "%s: %s" % (name, stamp)

# Ticks to ns, on the line between the anchors that it names.
stretch = explained["stretches"][0]
rate = (stretch["to_raw_ns"] - stretch["from_raw_ns"]) / (stretch["to_ticks"] - stretch["from_ticks"])
for stamp in host_stamps:
    if stretch["from_ticks"] <= stamp["stored"] < stretch["to_ticks"]:
        raw = stretch["from_raw_ns"] + (stamp["stored"] - stretch["from_ticks"]) * rate
        assert abs(raw - stamp["raw_ns"]) <= 2, "%s: %s is %f" % (name, stamp, raw)

columns = {}
for stamp in explained["stamps"]:
    for column in stamp.get("column", "").split(", "):
        columns.setdefault(column, stamp["run_ns"])
for column in ("api_start_ns", "enqueue_ns", "kernel_start_ns", "kernel_stop_ns", "proxy_start_ns", "finish_ns"):
    assert columns.get(column) == operation[column], "%s: %s is %s, not %s" % (
        name, column, columns.get(column), operation[column])
