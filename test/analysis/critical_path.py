"""The critical path of a run, worked out once more from its CSV export by brute force: every operation's start follows
the last to end before it on its process, and every end the last start of its match. Each gain is asked of the whole run
anew, so nothing is shared with the sweep that lockstep uses. Prints what differs; exit 1 when anything does.
"""
import csv
import json
import sys

# An end may lie so much behind the start that followed it: GPU stamps are that exact.
SAME_INSTANT_NS = 1000


def table(folder, name):
    with open(f"{folder}/{name}.csv", newline="") as file:
        return [{key: int(value) if value.lstrip("-").isdigit() else value for key, value in row.items()}
                for row in csv.DictReader(file)]


class Run:
    """The operations of a run without groups, whose ranks wait for each other in each of them."""

    def __init__(self, folder):
        process_of = {row["operation"]: row["process"] for row in table(folder, "operations")}
        self.rows = []
        for row in table(folder, "arrivals"):
            self.rows.append({"process": process_of[row["operation"]], "operation": row["operation"],
                              "match": row["match"], "start": row["arrival_ns"], "end": row["finish_ns"]})
        self.by_match, self.by_process = {}, {}
        for row in self.rows:
            self.by_match.setdefault(row["match"], []).append(row)
            self.by_process.setdefault(row["process"], []).append(row)
        self.last_start = {match: max(row["start"] for row in rows) for match, rows in self.by_match.items()}
        for row in self.rows:
            row["end"] = max(row["end"], self.last_start[row["match"]] + 1)
        for row in self.rows:
            earlier = [other for other in self.by_process[row["process"]]
                       if other["end"] <= row["start"] + SAME_INSTANT_NS and self.last_start[other["match"]] < row["start"]]
            row["before"] = max(earlier, key=lambda other: other["end"], default=None)
        self.rows.sort(key=lambda row: row["start"])
        self.end = max(row["end"] for row in self.rows)

    def replayed_end(self, less_before, less_in):
        """When the run ends with these own times (by operation) and transfers (by match) shorter by so much."""
        start, last = {}, {}
        for row in self.rows:  # what a start depends on began before it
            at = row["start"]
            before = row["before"]
            if before is not None:
                at = last[before["match"]] - less_in.get(before["match"], 0) + before["end"] - self.last_start[before["match"]]
                at += row["start"] - before["end"] - less_before.get(row["operation"], 0)
            start[row["operation"]] = at
            last[row["match"]] = max(last.get(row["match"], at), at)
        return max(last[row["match"]] - less_in.get(row["match"], 0) + row["end"] - self.last_start[row["match"]]
                   for row in self.rows)


def problems(run, path):
    assert run.replayed_end({}, {}) == run.end
    for one, following in zip(path, path[1:]):
        if one["end_ns"] != following["start_ns"]:
            yield f"piece {one['piece']} ends at {one['end_ns']}, the next begins at {following['start_ns']}"
    if path[-1]["end_ns"] != run.end:
        yield f"the path ends at {path[-1]['end_ns']}, the run at {run.end}"
    asked = 0
    for piece in path:
        if piece["excess_ns"] == 0:
            if piece["gain_ns"] != 0:
                yield f"piece {piece['piece']} gains without an excess"
            continue
        if piece["part"] == "own":
            gain = run.end - run.replayed_end({piece["operation"]: piece["excess_ns"]}, {})
        else:
            gain = run.end - run.replayed_end({}, {piece["match"]: piece["excess_ns"]})
        asked += 1
        if gain != piece["gain_ns"]:
            yield f"piece {piece['piece']} ({piece['part']}) gains {piece['gain_ns']} ns, by brute force {gain}"
    if asked < 10 or all(piece["gain_ns"] == piece["excess_ns"] for piece in path):
        yield f"{asked} pieces have something to gain, and no other path limits any: nothing is compared"


def main():
    folder, truth_file, culprit = sys.argv[1], sys.argv[2], int(sys.argv[3])
    run, path = Run(folder), table(folder, "critical_path")
    found = list(problems(run, path))
    with open(truth_file) as file:
        truth = json.load(file)
    cost = truth["faults"][0]["cost"] * truth["run_ns"]
    late = sum(piece["excess_ns"] for piece in path if piece["part"] == "own" and piece["process"] == culprit)
    others = sum(piece["excess_ns"] for piece in path if piece["part"] == "own" and piece["process"] != culprit)
    if not 0.85 * cost < late < 1.15 * cost or others > 0.2 * cost:
        found.append(f"the late rank costs {cost:.0f} ns; on the path it has {late} beyond usual, the others {others}")
    of_culprit = [row["gain_ns"] for row in table(folder, "path_gains") if row["kind"] == "process" and row["process"] == culprit]
    if len(of_culprit) != 1 or not 0.85 * cost < of_culprit[0] < 1.15 * cost:
        found.append(f"the late rank costs {cost:.0f} ns; without it the run is shorter by {of_culprit}")
    print("\n".join(found[:20]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
