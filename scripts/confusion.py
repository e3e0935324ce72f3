#!/usr/bin/env python3
"""Plays seeded emulated runs with a known fault through the plugin and counts what `lockstep diagnose` says of them.

usage: confusion.py COUNT [--build DIR] [--ranks N] [--kinds a,b,...] [--first NUMBER] [--again N] [--events PRESET]
                    [--work allreduce|mixed]

COUNT runs, the kinds taken in turn; culprit, instant and size are drawn from the run's number. Prints a table of what
was done against what was said. Exit 1 when a kind is right in less than 90 % of its runs; with --events, which leaves
out what some verdicts need, when it accuses wrongly in more than 10 %: then silence is right where data do not suffice.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

# What is done: emulator options, and the finding that names it.
KINDS = {
    "clean": ([], None),
    "late": (["--late-rank", "R", "--late-us", "5000", "--late-fraction", "0.5"], "straggler"),
    "slow_link": (["--slow-link", "R", "--slow-link-mbps", "100"], "slow_link"),
    "slow_proxy": (["--slow-proxy", "R", "--slow-proxy-us", "2000"], "slow_proxy"),
    "hang": (["--hang-rank", "R", "--at", "A"], "missing_rank"),
    "wrong_order": (["--wrong-order", "R", "--at", "A"], "wrong_order"),
    "mismatch": (["--mismatch-count", "R", "--at", "A"], "mismatch"),
    "stuck": (["--stuck-transport", "R", "--at", "A"], "stuck_in_transport"),
    "dead": (["--dead-rank", "R", "--at", "A"], "dead_process"),
}
HANGS = {"hang", "wrong_order", "mismatch", "stuck", "dead"}
# Nobody is accused: right where the recording cannot tell, which not_known then says.
NO_CULPRIT = {"nothing", "stuck_in_transport of nobody"}
WORK = {
    "allreduce": [],
    # Two communicators and sends between all pairs: one late rank delays nearly everything on the others.
    "mixed": ["--ops", "allreduce,allgather", "--sendrecv", "--alltoall", "--split"],
}


def world_rank(finding, rank):
    """Communicator splitP holds the world's ranks of parity P."""
    return 2 * rank + int(finding["comm_name"][5:]) if finding["comm_name"].startswith("split") else rank


def play(build, kind, number, ranks, folder, events="all", work="allreduce"):
    draw = random.Random(number)
    rank, at = draw.randrange(ranks), draw.randrange(3, 15)
    size = draw.choice(["16K", "64K", "256K"])
    options = [{"R": str(rank), "A": str(at)}.get(o, o) for o in KINDS[kind][0]]
    run = os.path.join(folder, "run")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LOCKSTEP_", "NCCL_"))}
    environment.update(LOCKSTEP_ENABLE="1", LOCKSTEP_EVENTS=events, LOCKSTEP_DIR=run)
    command = [os.path.join(build, "lockstep-emulate"), "--ranks", str(ranks), "--iterations", "30", "--sizes", size,
               "--seed", str(number), "--stall-us", "1500000", *options, *WORK[work], os.path.join(build, "libnccl-profiler.so")]
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
    answer = subprocess.run([os.path.join(build, "lockstep"), "diagnose", run, "--json"], env=environment,
                            capture_output=True, text=True, timeout=120)
    if answer.returncode not in (0, 1):
        return "error", None, f"exit {answer.returncode}: {answer.stderr.strip()}"
    findings = json.loads(answer.stdout)["findings"]
    if not findings:
        return "nothing", KINDS[kind][1] is None, ""
    first = findings[0]
    right = first["kind"] == KINDS[kind][1] and [world_rank(first, r) for r in first["culprits"]] == [rank]
    if kind in HANGS:
        right = right and first["op"] == "AllReduce" and first["ordinal"] == at
    if kind not in HANGS:
        right = right and len(findings) == 1  # nobody else accused
    said = first["kind"] if len(findings) == 1 else first["kind"] + "+"
    if not first["culprits"]:
        said += " of nobody"
    return said, right, "" if right else f"culprit {rank} at {at}: " + "; ".join(f["text"] for f in findings)[:300]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    parser.add_argument("--build", default="build")
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--events", default="all", help="LOCKSTEP_EVENTS of the runs")
    parser.add_argument("--work", default="allreduce", choices=sorted(WORK))
    parser.add_argument("--again", type=int, default=0, help="other seeds to try after a wrong run: for few runs on a busy machine")
    arguments = parser.parse_args()
    kinds = arguments.kinds.split(",")
    table = {kind: {} for kind in kinds}
    right = {kind: 0 for kind in kinds}
    for i in range(arguments.count):
        kind = kinds[i % len(kinds)]
        for attempt in range(arguments.again + 1):
            with tempfile.TemporaryDirectory(prefix="lockstep-confusion.") as folder:
                number = arguments.first + i + attempt * 1000
                said, good, why = play(arguments.build, kind, number, arguments.ranks, folder,
                                       arguments.events, arguments.work)
            if good:
                break
        table[kind][said] = table[kind].get(said, 0) + 1
        right[kind] += 1 if good else 0
        if not good and why:
            print(f"run {arguments.first + i} {kind}: {why}", file=sys.stderr)
    failed = False
    print("| done | runs | right | nothing said | wrong | said |\n|---|---|---|---|---|---|")
    for kind in kinds:
        runs = sum(table[kind].values())
        if runs == 0:
            continue
        said = ", ".join(f"{count} {name}" for name, count in sorted(table[kind].items(), key=lambda x: -x[1]))
        silent = 0 if kind == "clean" else sum(c for name, c in table[kind].items() if name in NO_CULPRIT)
        wrong = runs - right[kind] - silent
        print(f"| {kind} | {runs} | {right[kind]} | {silent} | {wrong} | {said} |")
        if arguments.events == "all":
            failed = failed or right[kind] < 0.9 * runs
        else:
            failed = failed or wrong > 0.1 * runs
    return 1 if failed else 0


sys.exit(main())
