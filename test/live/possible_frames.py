"""possible_frames.py CALLS FRAMES: whether every stack that lockstep-pyframes printed of runs_in_python.py is one
that can be: in a Whole one a node stands only inside a node that calls it, at the line of that call, or inside walk().
A Torn one may have frames that did not stand together, but none that the program has not. Prints how many stacks there
were; exit 1 with the first that cannot be.
"""
import json
import sys

from compare_frames import stacks_of


def main(calls_path, frames_path):
    with open(calls_path) as file:
        calls = {tuple(call) for call in json.load(file)}
    with open(frames_path, encoding="utf-8") as file:
        stacks = stacks_of(file)
    nodes_of = {callee for _, _, callee in calls} | {"node_0"}
    count = {"Whole": 0, "Torn": 0}
    nodes = 0
    for thread, state, frames in stacks:
        count[state] += 1
        for (caller, _, line, _), (callee, _, _, _) in zip(frames, frames[1:]):
            if not callee.startswith("node_"):
                continue
            nodes += 1
            right = (caller, line, callee) in calls or (caller, callee) == ("walk", "node_0")
            if not right and (state == "Whole" or callee not in nodes_of):
                sys.exit(f"thread {thread} ({state}): {caller} at line {line} does not call {callee}: {frames}")
    if nodes == 0 or count["Whole"] == 0:
        sys.exit(f"{nodes} calls of nodes in {count}: nothing was tested")
    print(f"{count['Whole']} whole, {count['Torn']} torn, {nodes} calls")


if __name__ == "__main__":
    main(*sys.argv[1:])
