"""The GPU's stamps of a run's operations, beside the times that lockstep made of them."""

import collections
import csv
import json


def operations(stamps, tables):
    """Yields (pid, row of operations, starts, stops) of each operation with kernels.

    `stamps` are the KernelCh records of a run (lockstep cat --kind KernelCh), `tables` the folder that it was exported to as
    CSV. Starts and stops are what the GPU's clock showed, one for each channel.
    """
    stamps_of = collections.defaultdict(lambda: ([], []))
    parents = {}
    for line in open(stamps):
        record = json.loads(line)
        if record["call"] == "start":
            parents[record["pid"], record["id"]] = record["parent"]
            stamps_of[record["pid"], record["parent"]][0].append(record["p_timer"])
        elif record.get("state") == "KernelChStop":
            stamps_of[record["pid"], parents[record["pid"], record["id"]]][1].append(record["argument"])
    pids = {row["process"]: int(row["pid"]) for row in csv.DictReader(open(tables + "/processes.csv"))}
    for row in csv.DictReader(open(tables + "/operations.csv")):
        pid = pids[row["process"]]
        starts, stops = stamps_of[pid, int(row["event_id"])]
        if starts:
            yield pid, row, starts, stops
