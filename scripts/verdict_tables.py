"""The tables of `make verdicts`, as Markdown: what verdicts.run() makes of each run, counted."""
import collections
import math

from verdict_draw import KINDS, LABELS, LARGE, NOBODYS, NOISES, PRESETS, WORTH_NAMING


def precision(results):
    """Of the findings, those that name a fault."""
    findings = [finding["right"] for r in results for finding in r["findings"]]
    return share(sum(findings), len(findings))


def recall(results):
    """Of the faults that are worth naming, those that a finding names."""
    faults = [fault["found"] for r in results for fault in r["faults"] if not fault["spared"]]
    return share(sum(faults), len(faults))


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def table(header, rows):
    print("\n| " + " | ".join(header) + " |\n|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")


def by_class(results):
    rows = []
    for name in LABELS + NOBODYS:
        runs = [r for r in results if r["class"] == name]
        if not runs:
            continue
        said = collections.Counter(" + ".join(f["kind"] for f in r["findings"][:3]) + (" ..." if len(r["findings"]) > 3 else "")
                                   or "nothing" for r in runs)
        rows.append([name, len(runs), share(sum(r["right"] for r in runs), len(runs)), precision(runs), recall(runs),
                     sum(r["innocents"] > 0 for r in runs), sum(r["innocent_first"] for r in runs),
                     ", ".join(f"{count} {what}" for what, count in said.most_common(4))])
    table(["class", "runs", "right", "precision", "recall", "innocents accused", "innocent first", "said"], rows)


def by_kind(results):
    findings = [finding for r in results for finding in r["findings"]]
    rows = []
    for kind in sorted({finding["kind"] for finding in findings}):
        inside = [finding["right"] for finding in findings if finding["kind"] == kind]
        rows.append([kind, len(inside), share(sum(inside), len(inside))])
    table(["finding", "times", "precision"], rows)


CLOSE = 1.5  # a cost is said well within this factor
EFFECTS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 1.01]  # shares of the run, doubling


def effects(results):
    """(found, all) faults in each bin of EFFECTS, of runs with one fault that does not hang and that the events show."""
    faults = [r["faults"][0] for r in results if len(r["faults"]) == 1]
    faults = [fault for fault in faults if fault["cost"] is not None and fault["shown"]]
    bins = [[f["found"] for f in faults if low <= f["cost"] < high] for low, high in zip(EFFECTS, EFFECTS[1:])]
    return [(sum(inside), len(inside)) for inside in bins]


def smallest_effect(counts):
    """The lowest bin from which on 9 of 10 are found; None when there is none."""
    smallest = None
    for low, (hits, total) in zip(reversed(EFFECTS[:-1]), reversed(counts)):
        if total and hits < 0.9 * total:
            break
        if total:
            smallest = low
    return smallest


def effect_text(effect):
    return "-" if effect is None else f"{100 * effect:.0f} %"


def by_effect(results):
    """By class and by preset; the smallest effect of each class by preset too."""
    rows, smallest = [], []
    measured = [name for name in KINDS if any(total for _, total in effects([r for r in results if r["class"] == name]))]
    groups = [(name, [r for r in results if r["class"] == name]) for name in measured]
    groups += [(f"all, {preset}", [r for r in results if r["arguments"]["events"] == preset]) for preset in PRESETS]
    for name, runs in groups:
        counts = effects(runs)
        rows.append([name, *[f"{hits}/{total}" if total else "" for hits, total in counts],
                     effect_text(smallest_effect(counts))])
    for name in measured:
        runs = [r for r in results if r["class"] == name]
        smallest.append([name, *[effect_text(smallest_effect(effects([r for r in runs if r["arguments"]["events"] == preset])))
                                 for preset in PRESETS]])
    table(["class", *[f"{100 * low:.0f} to {100 * min(high, 1):.0f} %" for low, high in zip(EFFECTS, EFFECTS[1:])],
           "found 9 of 10 from"], rows)
    table(["found 9 of 10 from, with", *PRESETS], smallest)


def clear_faults(results):
    """Right verdicts where every fault is shown by the recorded events, and is in a hung run or costs at least twice the
    smallest effect of its class. A class that is not found 9 times of 10 at any size counts as one that should be from
    2 % on."""
    smallest = {name: smallest_effect(effects([r for r in results if r["class"] == name])) or WORTH_NAMING for name in KINDS}

    def clear(fault):
        return fault["shown"] and (fault["cost"] is None or fault["cost"] >= 2 * smallest[fault["class"]])

    rows = []
    for text, several in (("one fault", False), ("two faults", True)):
        runs = [r for r in results if r["faults"] and (len(r["faults"]) > 1) == several and all(map(clear, r["faults"]))]
        rows.append([text, len(runs), share(sum(r["right"] for r in runs), len(runs))])
    table(["at least twice the smallest effect", "runs", "right"], rows)


def by_cost(results):
    """What findings say that a fault costs, against the truth. Of faults that are worth naming, and findings that say it."""
    said = [f for r in results for f in r["faults"] if f["said_cost"] and f["cost"] >= WORTH_NAMING]
    rows = []
    for name in [*KINDS, "all"]:
        times = sorted(f["said_cost"] / f["cost"] for f in said if name in ("all", f["class"]))
        if not times:
            continue
        close = sum(1 / CLOSE <= t <= CLOSE for t in times)
        rows.append([name, len(times), share(close, len(times)), *[f"{times[int(q * len(times))]:.2f}" for q in (0.1, 0.5, 0.9)]])
    table(["cost as said, against the truth", "faults", f"within a factor of {CLOSE:g}", "times, at 10 %", "50 %", "90 %"], rows)


def by_preset(results):
    rows = []
    for preset in PRESETS:
        runs = [r for r in results if r["arguments"]["events"] == preset]
        rows.append([preset, len(runs), share(sum(r["right"] for r in runs), len(runs)), precision(runs), recall(runs),
                     sum(r["innocents"] > 0 for r in runs)])
    large = [r for r in results if r["arguments"]["ranks"] == LARGE]
    if large:
        rows.append([f"any, {LARGE:,} ranks", len(large), share(sum(r["right"] for r in large), len(large)), precision(large),
                     recall(large), sum(r["innocents"] > 0 for r in large)])
    table(["events", "runs", "right", "precision", "recall", "innocents accused"], rows)


def reliability(results):
    bins = [0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.001]
    rows = []
    for low, high in zip(bins, bins[1:]):
        inside = [f["right"] for r in results for f in r["findings"] if low <= f["confidence"] < high]
        if inside:
            rows.append([f"{low:g} to {min(high, 1):g}", len(inside), share(sum(inside), len(inside))])
    table(["confidence", "findings", "right"], rows)


def limit_95(at_most, high):
    """The value up to `high` at which seeing as few as was seen has a probability of 5 %: the one-sided exact limit."""
    low = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(middle) > 0.05 else (low, middle)
    return high


def share_limit(seen, runs):
    """Clopper and Pearson's."""
    def at_most(p):
        return sum(math.exp(math.lgamma(runs + 1) - math.lgamma(k + 1) - math.lgamma(runs - k + 1) + k * math.log(p)
                            + (runs - k) * math.log1p(-p)) for k in range(seen + 1))
    return 1.0 if seen == runs else limit_95(at_most, 1.0)


def count_limit(seen):
    """Of a Poisson mean."""
    return limit_95(lambda mean: sum(math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) for k in range(seen + 1)),
                    10.0 + 3 * seen)


def healthy(results):
    runs = [r for r in results if not r["faults"]]
    if not runs:
        return

    def accuses(r):
        return any(f["accuses"] and f["confidence"] >= 0.9 for f in r["findings"])

    hours = sum(r["ns"] for r in runs) / 3.6e12
    seen = sum(map(accuses, runs))
    print(f"\n{len(runs)} healthy runs, {hours:.2f} hours of job time; {sum(bool(r['findings']) for r in runs)} have a finding. "
          f"{seen} accuse a rank at 0.9 or more: {1000 * seen / len(runs):.1f} in 1,000 runs, at most "
          f"{1000 * share_limit(seen, len(runs)):.1f} (95 %); {1000 * seen / hours:.0f} in 1,000 hours, at most "
          f"{1000 * count_limit(seen) / hours:.0f} (95 %).")
    rows = []
    for noise in NOISES:
        inside = [r for r in runs if r["arguments"]["noise"] == noise]
        rows.append([noise, len(inside), sum(bool(r["findings"]) for r in inside), sum(map(accuses, inside))])
    table(["noise", "healthy runs", "with a finding", "accuse at 0.9 or more"], rows)


def print_tables(results):
    by_class(results)
    by_kind(results)
    by_effect(results)
    by_cost(results)
    by_preset(results)
    clear_faults(results)
    reliability(results)
    healthy(results)
