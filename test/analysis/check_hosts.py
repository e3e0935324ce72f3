"""Checks an export (csv) of a run of hosts h0..h3, clocks 5,000 s apart, two ranks on each, against the truth.

usage: check_hosts.py TABLES TRUTH. The truth files note every call on the host's own clock just before it is made, so on
one clock a call is never earlier than its truth by more than the clock error, and rarely much later.
"""
import csv
import json
import sys

tables, truth = sys.argv[1:]
APART_NS = 5_000_000_000_000


def rows(name):
    with open(f"{tables}/{name}.csv") as file:
        return list(csv.DictReader(file))


def number(text):
    return int(text) if text else None


wrong = []
processes = {row["process"]: row for row in rows("processes")}
for clock in rows("clock"):
    off = int(clock["offset_ns"]) + APART_NS * int(clock["host"][1:])
    if abs(off) > int(clock["error_ns"]):
        wrong.append(f"clock of {clock['host']}: {off} ns off, stated +-{clock['error_ns']}")
made = {}
for rank in range(8):
    with open(f"{truth}.{rank}") as file:
        for line in file:
            call = json.loads(line)
            if call["type"] == "call":
                made[rank, call["ordinal"]] = call["raw_ns"] - APART_NS * (rank // 2)
after = []
operations = {row["operation"]: row for row in rows("operations")}
arrivals = {row["arrival"]: row for row in rows("arrivals")}
for arrival in arrivals.values():
    row = operations[arrival["operation"]]
    rank = int(row["rank"])
    error = int(processes[row["process"]]["clock_error_ns"])
    late = int(row["api_start_ns"]) - made[rank, int(row["ordinal"])]
    after.append(late)
    if late < -error:
        wrong.append(f"rank {rank} call {row['ordinal']}: {late} ns after it was made, clock error {error} ns")
    last = arrivals[arrival["last_rank_row"]]
    apart = rank // 2 != int(last["rank"]) // 2
    compared = int(arrival["clock_error_ns"])
    if apart != (compared != 0) or compared > error + int(processes[operations[last["operation"]]["process"]]["clock_error_ns"]) + 10:
        wrong.append(f"rank {rank} call {row['ordinal']}: error {compared} ns against rank {last['rank']}")
after.sort()
if len(after) != 800:
    wrong.append(f"{len(after)} arrivals, expected 800")
elif after[400] > 1_000_000:
    wrong.append(f"half of the calls are {after[400]} ns late")
print(f"{len(after)} calls, recorded {after[0]} to {after[-1]} ns after they were made, median {after[len(after) // 2]}")
for line in wrong[:20]:
    print(line)
sys.exit(1 if wrong else 0)
