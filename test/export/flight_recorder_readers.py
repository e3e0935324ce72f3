"""What the readers of flight recorder dumps look at, written from their code: nvidia-resiliency-ext's fr_attribution
(d8686d9) and PyTorch's fr_trace with its components (2.10). A key that they need and do not find ends this with an error,
as it ends them.

flight_recorder_readers.py nvidia DIRECTORY   prints the ranks that fr_attribution would call missing, by process group
flight_recorder_readers.py torch DIRECTORY    prints what fr_trace would report first of each process group
"""

import ast
import collections
import glob
import json
import os
import pickle
import re
import sys

TORCH_OPERATIONS = {
    "broadcast", "reduce", "_all_gather_base", "all_reduce", "_reduce_scatter_base", "gather", "scatter", "all_to_all",
    "send", "recv", "coalesced",
}


def nvidia(directory):
    dumps = {}
    for path in glob.glob(os.path.join(directory, "_dump_*")):
        stem = os.path.basename(path)[: -len(".json")]
        with open(path) as file:
            dumps[stem.split("_")[-1]] = json.load(file)
    waiting = collections.defaultdict(set)  # by process group: ranks with a scheduled entry
    enqueued = collections.defaultdict(dict)  # by process group and rank
    for rank, dump in dumps.items():
        for entry in dump["entries"]:
            if "collective_seq_id" not in entry or entry["state"] != "scheduled":
                continue
            for key in ("pg_id", "op_id", "profiling_name", "time_created_ns", "input_sizes", "output_sizes",
                        "input_dtypes", "output_dtypes"):
                entry[key]
            name = entry["process_group"][0]
            waiting[name].add(int(rank))
            for other, its in dumps.items():
                status = its["pg_status"].get(str(entry["pg_id"]))
                if status is not None:
                    enqueued[name][int(other)] = status["last_enqueued_collective"]
                    assert status["last_completed_collective"] >= -1, "compared with a number"
    for name in sorted(waiting, key=int):
        ranks = {int(r) for r in dumps[str(min(waiting[name]))]["pg_config"][name]["ranks"].strip("[]").split(",")}
        behind = {r for r, last in enqueued[name].items() if last < max(enqueued[name].values())}
        missing = (ranks - waiting[name]) | (behind & ranks)
        if missing:
            print(f"process group {name}: missing {sorted(missing)}")


def load_pickles(directory):
    files = os.listdir(directory)
    matches = [re.search(r"([\w\-\_]*?)(\d+)$", name) for name in files]
    prefixes = {match.group(1) for match in matches if match}
    assert len(prefixes) == 1, f"fr_trace infers the prefix of the names; these have {prefixes}"
    prefix = prefixes.pop()
    dumps = {}
    for name in files:
        if prefix not in name:
            continue
        with open(os.path.join(directory, name), "rb") as file:
            dumps[int(name[len(prefix):])] = pickle.load(file)
    return dumps


def torch_entries(dump, group):
    """The entries of a process group as (sequence, what must agree), and its coalesced groups of sends and receives."""
    entries = [entry for entry in dump["entries"] if entry["process_group"][0] == group]
    result, p2p, coalesced = [], [], []
    for entry in entries:
        backend, name = entry["profiling_name"].split(":")
        assert backend == "nccl" and name.split(" ")[0] in TORCH_OPERATIONS, entry["profiling_name"]
        if entry["is_p2p"]:
            assert not p2p or p2p[-1]["p2p_seq_id"] == entry["p2p_seq_id"], "a coalesced group without its end"
            p2p.append(entry)
            if name == "coalesced":
                assert len(p2p) > 1, "a coalesced group of nothing"
                coalesced.append(p2p[:-1])
                p2p = []
            continue
        assert not p2p, "a collective inside a coalesced group"
        shape = (name, entry["input_sizes"], entry["output_sizes"], entry["input_dtypes"], entry["output_dtypes"])
        result.append((entry["collective_seq_id"], shape, entry["state"]))
    return result, coalesced


def send_and_receive(entry):
    """(is it a send, source, destination, sizes): fr_trace's Op and what it compares."""
    kind, ends = entry["profiling_name"].split(":")[1].split(" ")
    if kind == "send":
        return True, *map(int, ends.split("->")), entry["input_sizes"]
    destination, source = map(int, ends.split("<-"))
    return False, source, destination, entry["output_sizes"]


def coalesced_match(groups):
    """Whether every send of a coalesced group has its receive in the peer's, those of one peer in order. groups: by rank."""
    left = {rank: [send_and_receive(entry) for entry in entries] for rank, entries in groups.items()}
    while any(left.values()):
        rank = next(rank for rank in left if left[rank])
        sends, source, destination, sizes = left[rank].pop(0)
        peers = left[destination if sends else source]
        wanted = (not sends, source, destination, sizes)
        if wanted not in peers or any(other[:3] == wanted[:3] for other in peers[:peers.index(wanted)]):
            return False
        peers.remove(wanted)
    return True


def p2p_verdict(ranks, coalesced):
    """Of two ranks; of more, fr_trace pairs groups that need not belong together, whoever wrote the dumps."""
    if len(ranks) != 2 or not any(coalesced.values()):
        return ""
    first, second = (coalesced[rank] for rank in ranks)
    assert len(first) == len(second), "a coalesced group whose peer has none"
    ok = all(coalesced_match({0: one, 1: other}) for one, other in zip(first, second))
    return f", {len(first)} coalesced groups " + ("match" if ok else "MISMATCH")


def torch(directory):
    dumps = load_pickles(directory)
    assert len({dump["version"] for dump in dumps.values()}) == 1, "versions differ"
    groups = {}
    for dump in dumps.values():
        for name, group in dump["pg_config"].items():
            known = groups.setdefault(name, group)
            assert known["desc"] == group["desc"] and known["ranks"] == group["ranks"], f"group {name} differs by rank"
    for name, group in sorted(groups.items()):
        ranks = ast.literal_eval(group["ranks"])
        by_sequence, coalesced = collections.defaultdict(dict), {}
        for rank in ranks:
            entries, coalesced[rank] = torch_entries(dumps[rank], name)
            for sequence, shape, state in entries:
                by_sequence[sequence][rank] = (shape, state)
        for sequence in sorted(by_sequence):
            seen = by_sequence[sequence]
            if set(seen) != set(ranks):
                print(f"process group {name}: not all ranks joining {sequence}: {sorted(set(ranks) - set(seen))}")
                break
            if any(entry != seen[ranks[0]] for entry in seen.values()):
                print(f"process group {name}: {sequence} has errors: {seen}")
                break
        else:
            print(f"process group {name}: {len(by_sequence)} collectives match{p2p_verdict(ranks, coalesced)}")


if __name__ == "__main__":
    {"nvidia": nvidia, "torch": torch}[sys.argv[1]](sys.argv[2])
