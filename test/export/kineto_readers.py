"""What the readers of Kineto traces look at, written from their code: TraceLens's NcclAnalyser (171dd74) and
HolisticTraceAnalysis (f4d0062).

kineto_readers.py tracelens FILE...     for each rank what TraceLens says: rank, how often it came last, how long it
                                        waited in all (us), of the collectives that wait for everybody; FILE of rank 0 first
kineto_readers.py hta DIRECTORY         the files by rank as HTA finds them, and the percentage of each rank's kernel time
                                        in which it communicates
"""

import collections
import gzip
import json
import os
import re
import sys

WAIT_FOR_ALL = {"allreduce", "_reduce_scatter_base", "_allgather_base", "all_to_all"}


def opened(path):
    return gzip.open(path, "rt") if path.endswith("gz") else open(path)


def events(path):
    with opened(path) as file:
        return json.load(file)["traceEvents"]


def tracelens(paths):
    calls = collections.defaultdict(dict)  # by process group and position: the kernel of each rank
    for rank, path in enumerate(paths):
        kernels = [e for e in events(path) if e.get("cat") == "kernel" and "nccl" in e["name"].lower()]
        positions = collections.Counter()
        for kernel in sorted(kernels, key=lambda kernel: kernel["ts"]):
            group = kernel["args"]["Process Group Name"]
            calls[group, positions[group]][rank] = kernel
            positions[group] += 1
    last, waits = collections.Counter(), collections.Counter()
    for kernels in calls.values():
        described = {
            tuple(str(kernel["args"][key]) for key in ("Process Group Ranks", "Collective name", "Group size", "dtype",
                                                       "In msg nelems", "Out msg nelems"))
            for kernel in kernels.values()
        }
        assert len(described) == 1, f"TraceLens ends here: ranks describe a collective differently: {described}"
        if next(iter(kernels.values()))["args"]["Collective name"] not in WAIT_FOR_ALL:
            continue
        latest = max(kernel["ts"] for kernel in kernels.values())
        for rank, kernel in kernels.items():
            waits[rank] += latest - kernel["ts"]
            last[rank] += kernel["ts"] == latest
    for rank in range(len(paths)):
        print(rank, last[rank], round(waits[rank]))


def hta(directory):
    ranks = {}
    for name in os.listdir(directory):
        if not name.endswith((".gz", ".json")):
            continue
        with opened(os.path.join(directory, name)) as file:
            found = next((m for line in file if (m := re.search(r'"rank":\s+(\d+)', line))), None)
        ranks[int(found.group(1)) if found else 0] = name
    for rank, name in sorted(ranks.items()):
        # HTA takes whatever carries a stream for something that runs on the GPU.
        time = collections.Counter()
        for event in events(os.path.join(directory, name)):
            if event.get("args", {}).get("stream", -1) >= 0:
                time["nccl" if event["name"].startswith("nccl") else "compute"] += event["dur"]
        print(rank, name, round(100 * time["nccl"] / sum(time.values())))


if __name__ == "__main__":
    tracelens(sys.argv[2:]) if sys.argv[1] == "tracelens" else hta(sys.argv[2])
