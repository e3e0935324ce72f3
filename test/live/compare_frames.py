"""compare_frames.py TRUTH FRAMES: what lockstep-pyframes printed against what Python said of itself.

TRUTH is stands_in_python.py's. Every thread of TRUTH must be in FRAMES, Whole, with the same functions, files
and lines. Prints how many threads and frames agree; exit 1 with the first difference.
"""
import json
import re
import sys

FRAME = re.compile(r'([* ]) File "(.*)", line (\d+) in (.*)')


def stacks_of(lines):
    """[(thread, state, [(function, file, line, entry)])], outermost first."""
    stacks = []
    for line in lines:
        if line.startswith("Thread "):
            _, thread, state = line.split()
            stacks.append((thread, state.strip("()"), []))
        elif FRAME.match(line):
            mark, file, number, function = FRAME.match(line).groups()
            stacks[-1][2].insert(0, (function, file, int(number), mark == "*"))
    return stacks


def main(truth_path, frames_path):
    with open(truth_path) as file:
        truth = json.load(file)
    with open(frames_path, encoding="utf-8") as file:
        read = {thread: (state, frames) for thread, state, frames in stacks_of(file)}
    compared = 0
    for thread, expected in truth.items():
        state, frames = read.get(thread, ("missing", []))
        if state != "Whole":
            sys.exit(f"thread {thread} is {state}, not Whole; it should stand in {expected[-1]}")
        if len(frames) != len(expected):
            sys.exit(f"thread {thread}: {len(frames)} frames, not {len(expected)}:\n{frames}\n{expected}")
        for got, want in zip(frames, expected):
            if list(got[:3]) != want:
                sys.exit(f"thread {thread}: {got}, not {want}")
        if not frames[0][3]:
            sys.exit(f"thread {thread}: its outermost frame is no entry")
        compared += len(expected)
    print(f"{len(truth)} threads, {compared} frames")


if __name__ == "__main__":
    main(*sys.argv[1:])
