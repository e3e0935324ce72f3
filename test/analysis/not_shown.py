#!/usr/bin/env python3
"""not_shown.py ONE OTHER: by how many ns a call comes at another time, as seen from the ranks that make as many calls, in one
recording than in the other. Both are `lockstep cat`'s output."""
import collections
import json
import statistics
import sys


def calls(path):
    times = collections.defaultdict(list)  # by process
    with open(path) as file:
        for record in map(json.loads, file):
            if record["call"] == "start":
                times[record["pid"]].append(record["real_ns"])
    return times


def beside_the_others(times):
    places = collections.defaultdict(list)
    for all_ns in times.values():
        for i, ns in enumerate(all_ns):
            places[len(all_ns), i].append(ns)
    return [ns - statistics.median(places[len(times[pid]), i]) for pid in sorted(times) for i, ns in enumerate(times[pid])]


one, other = (beside_the_others(calls(path)) for path in sys.argv[1:3])
if len(one) != len(other):
    sys.exit("they do not make the same calls")
print(int(max(abs(a - b) for a, b in zip(one, other))))
