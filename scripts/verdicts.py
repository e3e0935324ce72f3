#!/usr/bin/env python3
"""Simulates labelled training jobs and counts what `lockstep diagnose` says of them.

Even numbers of runs are for fitting thresholds, odd ones for reporting. Prints Markdown; exit 1 when --at-least or
--innocents-at-most does not hold, or no run could be judged.
"""
import argparse
import json
import multiprocessing
import os
import resource
import shutil
import subprocess
import sys
import tempfile

from verdict_draw import HANGS, KINDS, LABELS, NETWORKS, NOBODYS, ONCE_WORTH_NAMING, WORTH_NAMING, draw
from verdict_tables import print_tables, share


def simulate(build, arguments, folder, sizes):
    command = [os.path.join(build, "lockstep-simulate"), folder]
    arguments = dict(arguments)
    times = arguments.pop("times", None)
    if arguments["class"] == "healthy":
        del arguments["class"]
    if times is not None:
        arguments["size"] = times * sizes[arguments["class"]]
    for key, value in arguments.items():
        command += [f"--{key}", str(value)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return None
    if done.returncode != 2:  # options that do not fit each other
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return done.stderr.strip()


def accused(finding):
    """World ranks of a finding, as far as they are known."""
    return {place["world_rank"] for place in finding["culprits_at"] if place["world_rank"] is not None}


def wanted(fault):
    """World ranks that a finding of this fault may name: each set is right."""
    if fault["class"] in NOBODYS:
        return [set()]
    ranks = set(fault["ranks"])
    sets = [ranks]
    if "peer" in fault:
        sets += [{fault["peer"]}, ranks | {fault["peer"]}]
    # Of a host with a slow adapter, those whose data passes it.
    if fault.get("network_ranks"):
        sets.append(set(fault["network_ranks"]))
    # What the recording cannot tell apart may be named together, and all that are in the operation by naming nobody.
    suspects = set(fault.get("suspects", []))
    if suspects:
        sets.append(suspects)
    if suspects >= set(fault.get("members", [-1])):
        sets.append(set())
    return sets


def names(finding, fault):
    if finding["kind"] == "standstill":  # all that can be told where everybody looks like the culprit
        return fault["class"].startswith("stuck-") and set(fault.get("suspects", [])) >= set(fault["members"])
    if not accused(finding) and "members" in fault and set(fault.get("suspects", [])) == set(fault["members"]):
        return finding["kind"] in KINDS[fault["class"]] and finding["comm"] == fault["comm_id"]
    # Of what cannot be told apart, fewer may be named if the culprit is among them.
    among = set(fault["ranks"]) <= accused(finding) <= set(fault.get("suspects", []))
    return finding["kind"] in KINDS[fault["class"]] and (among or accused(finding) in wanted(fault))


def need_not_be_named(fault, hung, not_known):
    if fault["class"] == "stuck-transport" and not hung:  # its rank had nothing to send
        return True
    if "cost" not in fault:
        return hung and fault["class"] not in HANGS
    # What the recorded events do not show may be missed, but the answer has to say so.
    admitted = not fault["shown"] and any(text.startswith("Which GPUs are slow is not known") for text in not_known)
    return fault["cost"] < (ONCE_WORTH_NAMING if fault["when"] == "once" else WORTH_NAMING) or admitted


def score(faults, findings, hung, not_known):
    """(right, for each fault the finding that names it, if any, and whether it need not be named, innocents accused, innocent
    first)."""
    left = list(findings)
    found = []
    for fault in faults:
        match = next((f for f in left if names(f, fault)), None)
        found.append(match)
        if match is not None:
            left.remove(match)
    spared = [need_not_be_named(fault, hung, not_known) for fault in faults]
    named = all(match is not None or spare for match, spare in zip(found, spared))
    guilty = set().union(*[set(f["ranks"]) | {f.get("peer", -1)} | set(f.get("suspects", [])) for f in faults
                            if f["class"] not in NOBODYS])
    innocents = [f for f in left if accused(f) - guilty]
    first = bool(findings) and bool(accused(findings[0]) - guilty)
    return named and not left, list(zip(found, spared)), innocents, first


def said_cost(finding, fault, run_ns):
    """By what share the run would be shorter, as the finding of this fault says; None where it says nothing of the kind."""
    if finding is None or "cost" not in fault or finding["since_s"] is None:
        return None
    return finding["since_s"] * 1e9 / run_ns


def run(job):
    number, label, arguments, build, sizes = job
    folder = tempfile.mkdtemp(prefix="lockstep-verdicts.", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    try:
        problem = simulate(build, arguments, os.path.join(folder, "run"), sizes)
        if problem:
            return {"number": number, "class": label, "arguments": arguments, "refused": problem}
        with open(os.path.join(folder, "run", "truth.json")) as file:
            truth = json.load(file)
        answer = subprocess.run([os.path.join(build, "lockstep"), "diagnose", os.path.join(folder, "run"), "--json"],
                                capture_output=True, text=True)
        if answer.returncode not in (0, 1):
            raise RuntimeError(f"run {number}: diagnose ended with {answer.returncode}: {answer.stderr}")
        answer = json.loads(answer.stdout)
        findings = answer["findings"]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    faults = [f for f in truth["faults"] if not f["structure"]]
    right, found, innocents, first = score(faults, findings, truth["hung"], answer["not_known"])
    return {"number": number, "arguments": arguments, "class": label, "right": right, "innocents": len(innocents),
            "innocent_first": first, "ns": truth["run_ns"],
            "faults": [{"class": fault["class"], "cost": fault.get("cost"),
                        "shown": fault.get("shown", True), "found": match is not None, "spared": spare,
                        "said_cost": said_cost(match, fault, truth["run_ns"])} for fault, (match, spare) in zip(faults, found)],
            "findings": [{"kind": finding["kind"], "confidence": finding["confidence"], "accuses": bool(accused(finding)),
                          "right": any(names(finding, fault) for fault in faults)} for finding in findings],
            "truth": truth["faults"], "texts": [f["text"] for f in findings]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", type=int, nargs="?", default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--healthy", action="store_true")
    parser.add_argument("--large", type=int, default=0, help="the first so many runs have 1,024 ranks")
    parser.add_argument("--only", type=lambda text: text.split(","), help="classes, as in the table")
    parser.add_argument("--schedule", help="only the runs of this schedule")
    parser.add_argument("--noise", help="of all runs, instead of the drawn one")
    parser.add_argument("--network", choices=NETWORKS, help="of all runs over several hosts, instead of the drawn one")
    parser.add_argument("--half", choices=["fit", "report"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--build", default="build")
    parser.add_argument("--wrong", help="a file for what went wrong, a line each")
    parser.add_argument("--at-least", type=float, default=0, help="share of runs that must be right")
    parser.add_argument("--innocents-at-most", type=float, default=1, help="share of runs that may accuse an innocent")
    options = parser.parse_args()
    for label in options.only or []:
        if label not in LABELS + NOBODYS:
            parser.error(f"--only {label}: no such class; there are {', '.join(LABELS + NOBODYS)}")
    listed = subprocess.run([os.path.join(options.build, "lockstep-simulate"), "--list"], capture_output=True, text=True).stdout
    sizes = {line.split()[0]: float(line.rsplit("(SIZE ", 1)[1].rstrip(")")) for line in listed.splitlines() if "(SIZE " in line}
    numbers = [n for n in range(options.runs) if options.half is None or n % 2 == (options.half == "report")]
    jobs = [(n, *draw(n, options.seed, options), options.build, sizes) for n in numbers]
    if options.schedule:
        jobs = [job for job in jobs if job[2]["schedule"] == options.schedule]
    if options.noise:
        for job in jobs:
            job[2]["noise"] = options.noise
    with multiprocessing.Pool(options.jobs) as pool:
        results = list(pool.imap(run, jobs))
        pool.close()
        pool.join()
    refused = [r for r in results if "refused" in r]
    results = [r for r in results if "refused" not in r]
    right = sum(r["right"] for r in results)
    print(f"{len(results)} runs, {share(right, len(results))} right; {len(refused)} combinations that make no sense left out")
    print_tables(results)
    if options.wrong:
        with open(options.wrong, "w") as file:
            for r in results:
                if not r["right"]:
                    file.write(json.dumps(r) + "\n")
            for r in refused:
                file.write(json.dumps(r) + "\n")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{used.ru_utime + used.ru_stime:.0f} s of processor time", file=sys.stderr)
    innocents = sum(r["innocents"] > 0 for r in results)
    wrong = not results or right < options.at_least * len(results) or innocents > options.innocents_at_most * len(results)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
