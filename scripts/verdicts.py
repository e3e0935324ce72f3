#!/usr/bin/env python3
"""Simulates labelled training jobs and counts what `lockstep diagnose` says of them.

Every run is drawn from the seed and its number alone: what is wrong, size, topology, schedule, noise and event preset. Even
numbers are for fitting thresholds, odd ones for reporting. Prints Markdown; exit 1 when --at-least or --innocents-at-most
does not hold, or no run could be judged.
"""
import argparse
import collections
import json
import math
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile

# What names a class of lockstep-simulate rightly. None: no fault, so nothing may be said.
KINDS = {
    "healthy": None, "heavy-stage": None, "heavy-expert": None,
    "late-rank": {"straggler"}, "late-host": {"straggler"}, "late-group": {"straggler"}, "late-bursts": {"straggler"},
    "late-start": {"straggler"}, "late-growing": {"straggler"}, "late-periodic": {"straggler"}, "slow-gpu": {"straggler"},
    "slow-gpu-bursts": {"straggler"},
    "slow-gpu-transfer": {"slow_link", "slow_gpu", "straggler"}, "slow-link": {"slow_link"},
    "slow-link-bursts": {"slow_link"}, "slow-nic": {"slow_link"}, "slow-proxy": {"slow_proxy", "slow_link"},
    "missing-rank": {"missing_rank"}, "stuck-gpu": {"stuck_on_gpu"}, "stuck-transport": {"stuck_in_transport"},
    "dead-process": {"dead_process"}, "lost-host": {"dead_process"}, "wrong-order": {"wrong_order", "deadlock"},
    "deadlock": {"deadlock", "wrong_order"}, "mismatch-size": {"mismatch"}, "mismatch-function": {"wrong_order", "mismatch"},
}
STRUCTURES = ["heavy-stage", "heavy-expert"]
PATHS = ["slow-gpu-transfer", "slow-link", "slow-link-bursts", "slow-nic", "slow-proxy"]
HANGS = ["missing-rank", "stuck-gpu", "stuck-transport", "dead-process", "lost-host", "wrong-order", "deadlock", "mismatch-size",
         "mismatch-function"]
LATE = ["late-rank", "late-bursts", "late-growing", "late-periodic", "slow-gpu", "slow-gpu-bursts"]
# What is drawn besides single classes: of each of the lists one.
MANY = "many-communicators"
MIXED = {
    "two late": (LATE, LATE), "late and path": (LATE, PATHS), "late and structure": (LATE, STRUCTURES),
    "late and hang": (LATE, ["missing-rank", "stuck-gpu", "stuck-transport", "dead-process", "mismatch-size"]),
    MANY: (["missing-rank"],),
}
LABELS = [*KINDS, *MIXED]

PIPELINES = ["gpipe", "1f1b", "interleaved"]
SCHEDULES = ["ddp", "group", "zero", "owner", "tp-dp", *PIPELINES, "moe"]
# Other schedules have nothing that these classes could hit.
SCHEDULES_OF = {"heavy-stage": PIPELINES, "heavy-expert": ["moe"], "late-group": ["tp-dp", *PIPELINES],
                "wrong-order": ["zero", "owner"], "deadlock": ["tp-dp", *PIPELINES], MANY: PIPELINES}
NEED_TENSOR_RANKS = {"late-group", "deadlock", MANY}
NOISES = ["quiet", "jitter", "heavy-jitter", "preemption", "congestion", "loss", "loader", "checkpoint", "gc", "warm-up", "drift",
          "noisy-host"]
# A fault that costs less than this share of the run need not be named, and may be.
WORTH_NAMING = 0.02
LARGE = 1024  # ranks of the runs that --large asks for


def draw_faults(rng, label):
    """Classes of lockstep-simulate, no two the same."""
    faults = []
    for choices in MIXED.get(label, ([label],)):
        faults.append(rng.choice([name for name in choices if name not in faults]))
    return faults


def draw_layout(rng, schedule, ranks, tensor):
    """Ranks, and what of them are tensor ranks, stages and experts."""
    layout = {}
    if schedule in PIPELINES:
        ranks = max(ranks, 8 if tensor else 4)
        layout["pp"] = rng.choice([n for n in (2, 4, 8) if n <= ranks // (2 if tensor else 1)])
        layout["micro-batches"] = layout["pp"] * rng.choice([1, 2])
        if tensor or (ranks >= 2 * layout["pp"] and rng.random() < 0.5):
            layout["tp"] = 2
    elif schedule == "tp-dp":
        ranks = max(ranks, 4)
        layout["tp"] = rng.choice([n for n in (2, 4, 8) if n <= ranks // 2])
    elif schedule == "moe":
        ranks = max(ranks, 4)
        layout["ep"] = rng.choice([n for n in (2, 4) if n <= ranks // 2])
    layout["ranks"] = ranks
    return layout


def draw_label(number, seed, options):
    """All labels in turn, in another order each time; the two halves have the same."""
    labels = ["healthy"] if options.healthy else options.only or LABELS
    turn, place = divmod(number // 2, len(labels))
    return random.Random(f"{seed}/turn {turn}").sample(labels, len(labels))[place]


def draw(number, seed, options):
    """One run: its label, and the arguments of lockstep-simulate."""
    rng = random.Random(f"{seed}/{number}")
    label = draw_label(number, seed, options)
    faults = draw_faults(rng, label)
    fitting = [set(SCHEDULES_OF.get(name, SCHEDULES)) for name in [label, *faults]]
    schedule = rng.choice([name for name in SCHEDULES if all(name in some for some in fitting)])
    ranks = LARGE if number < options.large else rng.choice([2, 4, 4, 8, 8, 8, 16, 16, 32])
    if label == MANY:
        ranks = max(ranks, 16)
    layout = draw_layout(rng, schedule, ranks, label in NEED_TENSOR_RANKS)
    ranks = layout["ranks"]
    on_path = any(name in PATHS for name in faults)
    if on_path:
        per_host = rng.choice([n for n in (1, 2, 4, 8) if n < ranks])
    elif label in ("late-host", "lost-host"):
        per_host = max(1, min(8, ranks // 4))
    else:
        per_host = rng.choice([n for n in (1, 2, 4, 8) if n <= ranks])
    arguments = {"seed": rng.randrange(1 << 31), "class": ",".join(faults), "schedule": schedule, "steps": 30, **layout,
                 "gpus-per-host": per_host, "noise": rng.choice(NOISES),
                 "events": rng.choice(["proxy", "step"] if on_path else ["coll", "proxy", "proxy", "step"])}
    if label in KINDS and KINDS[label] is not None and label not in HANGS:
        arguments["times"] = rng.choice([0.1, 0.25, 0.5, 1, 2])  # of the class's own size
    return label, arguments


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
    ranks = set(fault["ranks"])
    sets = [ranks]
    if "peer" in fault:
        sets += [{fault["peer"]}, ranks | {fault["peer"]}]
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
    if not accused(finding) and set(fault.get("suspects", [])) == set(fault.get("members", [])):
        return finding["kind"] in KINDS[fault["class"]] and finding["comm"] == fault["comm_id"]
    return finding["kind"] in KINDS[fault["class"]] and accused(finding) in wanted(fault)


def score(faults, findings, hung):
    """(right, found of each fault, innocents accused, innocent first)."""
    left = list(findings)
    found = []
    for fault in faults:
        match = next((f for f in left if names(f, fault)), None)
        found.append(match is not None)
        if match is not None:
            left.remove(match)
    spared = [fault["cost"] < WORTH_NAMING if "cost" in fault else hung and fault["when"] != "once" for fault in faults]
    needed = [hit or spare for hit, spare in zip(found, spared)]
    guilty = set().union(*[set(f["ranks"]) | {f.get("peer", -1)} | set(f.get("suspects", [])) for f in faults])
    innocents = [f for f in left if accused(f) - guilty]
    first = bool(findings) and bool(accused(findings[0]) - guilty)
    return all(needed) and not left, found, innocents, first


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
        findings = json.loads(answer.stdout)["findings"]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    faults = [f for f in truth["faults"] if not f["structure"]]
    right, found, innocents, first = score(faults, findings, truth["hung"])
    guilty = [any(names(finding, fault) for fault in faults) for finding in findings]
    return {"number": number, "arguments": arguments,
            "class": label, "right": right, "found": found,
            "cost": faults[0].get("cost") if len(faults) == 1 else None, "said": [f["kind"] for f in findings],
            "innocents": len(innocents), "innocent_first": first, "ns": truth["run_ns"],
            "confidences": [(f["confidence"], ok) for f, ok in zip(findings, guilty)],
            "truth": truth["faults"], "texts": [f["text"] for f in findings]}


def is_sick(result):
    return any(not fault["structure"] for fault in result["truth"])


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def table(header, rows):
    print("\n| " + " | ".join(header) + " |\n|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")


def by_class(results):
    rows = []
    for name in LABELS:
        runs = [r for r in results if r["class"] == name]
        if not runs:
            continue
        said = collections.Counter(" + ".join(r["said"][:3]) + (" ..." if len(r["said"]) > 3 else "") or "nothing" for r in runs)
        rows.append([name, len(runs), share(sum(r["right"] for r in runs), len(runs)),
                     sum(r["innocents"] > 0 for r in runs), sum(r["innocent_first"] for r in runs),
                     ", ".join(f"{count} {what}" for what, count in said.most_common(4))])
    table(["class", "runs", "right", "innocents accused", "innocent first", "said"], rows)


def by_cost(results):
    """Share found by what the fault costs, in doubling bins; the smallest effect is the first bin from which on 9 of 10 are."""
    bins = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 1.01]
    rows = []
    for name in KINDS:
        runs = [r for r in results if r["class"] == name and r["cost"] is not None]
        if not runs:
            continue
        cells, smallest = [], "-"
        shares = []
        for low, high in zip(bins, bins[1:]):
            inside = [r for r in runs if low <= r["cost"] < high]
            hits = sum(r["found"][0] for r in inside)
            cells.append(f"{hits}/{len(inside)}" if inside else "")
            shares.append((low, hits / len(inside) if inside else None))
        for low, hit in reversed(shares):
            if hit is not None and hit < 0.9:
                break
            if hit is not None:
                smallest = f"{100 * low:.0f} %"
        rows.append([name, *cells, smallest])
    table(["class", *[f"{100 * low:.0f} to {100 * min(high, 1):.0f} %" for low, high in zip(bins, bins[1:])],
           "found 9 of 10 from"], rows)


def by_preset(results):
    rows = []
    for preset in ("coll", "proxy", "step"):
        runs = [r for r in results if r["arguments"]["events"] == preset]
        sick = [r for r in runs if is_sick(r)]
        rows.append([preset, len(runs), share(sum(r["right"] for r in runs), len(runs)),
                     share(sum(all(r["found"]) for r in sick), len(sick)), sum(r["innocents"] > 0 for r in runs)])
    table(["events", "runs", "right", "faults found", "innocents accused"], rows)


def reliability(results):
    bins = [0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.001]
    rows = []
    for low, high in zip(bins, bins[1:]):
        inside = [ok for r in results for confidence, ok in r["confidences"] if low <= confidence < high]
        if inside:
            rows.append([f"{low:g} to {min(high, 1):g}", len(inside), share(sum(inside), len(inside))])
    table(["confidence", "findings", "right"], rows)


def healthy(results):
    runs = [r for r in results if not is_sick(r)]
    if not runs:
        return
    hours = sum(r["ns"] for r in runs) / 3.6e12
    accused_runs = sum(any(c >= 0.9 for c, _ in r["confidences"]) for r in runs)
    any_finding = sum(bool(r["said"]) for r in runs)
    # One-sided 95 % limit: Wilson without continuity; for none seen the rule of three.
    n, z = len(runs), 1.645
    p = accused_runs / n
    upper = 3 / n if accused_runs == 0 else (p + z * z / (2 * n) + z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n)
    print(f"\n{n} healthy runs ({hours:.2f} h of job time): {any_finding} with a finding, {accused_runs} accused at 0.9 or more "
          f"({share(accused_runs, n)}, 95 % limit {100 * upper:.2f} %), {1000 * any_finding / hours:.0f} findings in 1,000 hours.")
    rows = []
    for noise in NOISES:
        inside = [r for r in runs if r["arguments"]["noise"] == noise]
        rows.append([noise, len(inside), sum(bool(r["said"]) for r in inside)])
    table(["noise", "healthy runs", "with a finding"], rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", type=int, nargs="?", default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--healthy", action="store_true")
    parser.add_argument("--large", type=int, default=0, help="this many runs have 1,024 ranks")
    parser.add_argument("--only", type=lambda text: text.split(","), help="classes, as in the table")
    parser.add_argument("--half", choices=["fit", "report"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--build", default="build")
    parser.add_argument("--wrong", help="a file for what went wrong, a line each")
    parser.add_argument("--at-least", type=float, default=0, help="share of runs that must be right")
    parser.add_argument("--innocents-at-most", type=float, default=1, help="share of runs that may accuse an innocent")
    options = parser.parse_args()
    for label in options.only or []:
        if label not in LABELS:
            parser.error(f"--only {label}: no such class; there are {', '.join(LABELS)}")
    listed = subprocess.run([os.path.join(options.build, "lockstep-simulate"), "--list"], capture_output=True, text=True).stdout
    sizes = {line.split()[0]: float(line.rsplit("(SIZE ", 1)[1].rstrip(")")) for line in listed.splitlines() if "(SIZE " in line}
    numbers = [n for n in range(options.runs) if options.half is None or n % 2 == (options.half == "report")]
    jobs = [(n, *draw(n, options.seed, options), options.build, sizes) for n in numbers]
    with multiprocessing.Pool(options.jobs) as pool:
        results = pool.map(run, jobs, chunksize=4)
    refused = [r for r in results if "refused" in r]
    results = [r for r in results if "refused" not in r]
    right = sum(r["right"] for r in results)
    print(f"{len(results)} runs, {share(right, len(results))} right; {len(refused)} combinations that make no sense left out")
    by_class(results)
    by_cost(results)
    by_preset(results)
    reliability(results)
    healthy(results)
    if options.wrong:
        with open(options.wrong, "w") as file:
            for r in results:
                if not r["right"]:
                    file.write(json.dumps(r) + "\n")
            for r in refused:
                file.write(json.dumps(r) + "\n")
    innocents = sum(r["innocents"] > 0 for r in results)
    wrong = not results or right < options.at_least * len(results) or innocents > options.innocents_at_most * len(results)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
