"""Threads that run Python code without a pause, in a tree of functions whose calls are all known.

runs_in_python.py OUT SEED: node K calls node 2K+1 or 2K+2, each from a line of its own, at random, a thousand
times a millisecond; other threads begin and end meanwhile. OUT gets the calls that are possible, as a JSON list
of [caller, line, callee], once the first tree has been walked.
"""
import json
import os
import random
import sys
import threading

DEPTH = 7
NODES = 2 ** (DEPTH + 1) - 1

SOURCE = ""
CALLS = []
for k in range(NODES):
    SOURCE += f"def node_{k}(pick):\n"
    if 2 * k + 2 < NODES:
        first = SOURCE.count("\n") + 1
        SOURCE += f"    if pick() < 0.5:\n        return node_{2 * k + 1}(pick)\n    return node_{2 * k + 2}(pick)\n"
        CALLS += [[f"node_{k}", first + 1, f"node_{2 * k + 1}"], [f"node_{k}", first + 2, f"node_{2 * k + 2}"]]
    else:
        SOURCE += f"    return {k}\n"
exec(compile(SOURCE, "tree.py", "exec"))


def walk(pick, times):
    for _ in range(times):
        node_0(pick)  # noqa: F821, made by exec


def main(out, seed):
    walk(random.Random(seed).random, 10)
    with open(out + ".part", "w") as file:
        json.dump(CALLS, file)
    os.rename(out + ".part", out)
    for n in range(2):
        threading.Thread(target=walk, args=(random.Random(seed + n).random, sys.maxsize), daemon=True).start()
    while True:
        short = threading.Thread(target=walk, args=(random.Random(seed).random, 10))
        short.start()
        short.join()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
