"""What `make verdicts` simulates: every run is drawn from the seed and its number alone."""
import random

# What names a class of lockstep-simulate rightly. None: no fault, so nothing may be said.
KINDS = {
    "healthy": None, "heavy-stage": None, "heavy-expert": None,
    "late-rank": {"straggler"}, "late-host": {"straggler"}, "late-group": {"straggler"}, "late-bursts": {"straggler"},
    "late-start": {"straggler"}, "late-growing": {"straggler"}, "late-periodic": {"straggler"}, "late-once": {"straggler"}, "slow-gpu": {"straggler"},
    "slow-gpu-bursts": {"straggler"},
    "slow-gpu-transfer": {"slow_link", "slow_gpu", "straggler"}, "slow-link": {"slow_link"},
    "slow-link-bursts": {"slow_link"}, "slow-nic": {"slow_link"}, "slow-adapter": {"slow_link"}, "slow-proxy": {"slow_proxy", "slow_link"},
    "missing-rank": {"missing_rank"}, "stuck-gpu": {"stuck_on_gpu"}, "stuck-transport": {"stuck_in_transport"},
    "dead-process": {"dead_process"}, "lost-host": {"dead_process"}, "wrong-order": {"wrong_order", "deadlock"},
    "slow-network-bursts": {"slower_than_expected"}, "deadlock": {"deadlock", "wrong_order"}, "mismatch-size": {"mismatch"}, "mismatch-function": {"wrong_order", "mismatch"},
}
# How data crosses hosts, by equal chance: over one adapter of each host or one of each GPU, all-reduces in rings or of up to
# so many bytes in trees.
NETWORKS = {"rings": {}, "trees": {"tree-bytes": 1 << 30}, "rails": {"adapters": "gpu"},
            "rail-trees": {"adapters": "gpu", "tree-bytes": 1 << 30}}
# Nobody's fault: rightly named by who accuses nobody. Drawn with --only alone.
NOBODYS = ["slow-network-bursts"]
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
IN_TURN = [*[name for name in KINDS if name not in [*NOBODYS, "slow-adapter"]], *MIXED]
LABELS = [*IN_TURN, "slow-adapter"]  # which takes the place of half of the slow-nic where each GPU has an adapter

PIPELINES = ["gpipe", "1f1b", "interleaved"]
SCHEDULES = ["ddp", "group", "zero", "owner", "tp-dp", *PIPELINES, "moe"]
# Other schedules have nothing that these classes could hit.
SCHEDULES_OF = {"heavy-stage": PIPELINES, "heavy-expert": ["moe"], "late-group": ["tp-dp", *PIPELINES],
                "wrong-order": ["zero", "owner"], "deadlock": ["tp-dp", *PIPELINES], MANY: PIPELINES}
NEED_TENSOR_RANKS = {"late-group", "deadlock", MANY}
NOISES = ["quiet", "jitter", "heavy-jitter", "preemption", "congestion", "loss", "loader", "checkpoint", "gc", "warm-up", "drift",
          "noisy-host"]
# A fault that costs less than this share of the run need not be named, and may be; a single moment from more on.
WORTH_NAMING, ONCE_WORTH_NAMING = 0.02, 0.05
LARGE = 1024  # ranks of the runs that --large asks for, of some 1,000 operations each
PRESETS = ["coll", "proxy", "step"]


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
    labels = ["healthy"] if options.healthy else options.only or IN_TURN
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
    if "slow-nic" in faults:  # of two hosts both have the same edges, all slow: nothing tells which it is
        ranks = max(ranks, 4)
    layout = draw_layout(rng, schedule, ranks, label in NEED_TENSOR_RANKS)
    ranks = layout["ranks"]
    on_path = any(name in PATHS + NOBODYS for name in faults)
    if on_path:
        per_host = rng.choice([n for n in (1, 2, 4, 8) if n < ranks])
        while "slow-nic" in faults and per_host > 1 and ranks < 3 * per_host:
            per_host //= 2
    elif label in ("late-host", "lost-host"):
        per_host = max(1, min(8, ranks // 4))
    else:
        per_host = rng.choice([n for n in (1, 2, 4, 8) if n <= ranks])
    arguments = {"seed": rng.randrange(1 << 31), "class": ",".join(faults), "schedule": schedule, "steps": 30, **layout,
                 "gpus-per-host": per_host, "noise": rng.choice(NOISES),
                 "events": rng.choice(["proxy", "step"] if on_path else ["coll", "proxy", "proxy", "step"])}
    if label in KINDS and KINDS[label] is not None and label not in HANGS:
        arguments["times"] = rng.choice([0.1, 0.25, 0.5, 1, 2])  # of the class's own size
    if ranks == LARGE:
        arguments.update(large_arguments(schedule, arguments["events"]))
    if ranks > per_host:
        label = draw_network(random.Random(f"{seed}/network {number}"), label, arguments, options.network)
    return label, arguments


def draw_network(rng, label, arguments, network):
    """How the job's data crosses hosts, which changes what may go wrong; the label."""
    network = network or rng.choice(list(NETWORKS))
    arguments.update(NETWORKS[network])
    faults = arguments["class"].split(",")
    if network.startswith("rail") and arguments["gpus-per-host"] > 1 and "slow-nic" in faults and rng.random() < 0.5:
        arguments["class"] = ",".join("slow-adapter" if name == "slow-nic" else name for name in faults)
        label = "slow-adapter" if label == "slow-nic" else label
    return label


def large_arguments(schedule, events):
    """What keeps a large job as small as its schedule allows: rings of steps over all ranks alone are a thousand million."""
    chosen = {"gpus-per-host": 8}
    if schedule in PIPELINES:
        chosen.update({"tp": 8, "pp": 8, "micro-batches": 8, "layers": 2, "steps": 8 if schedule == "interleaved" else 12})
    elif schedule == "moe":
        chosen.update({"layers": 2, "steps": 12})
    if schedule not in PIPELINES and events == "step":
        chosen["events"] = "proxy"
    return chosen
