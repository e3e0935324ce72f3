"""compare_merged.py TRUTH STACKS MINOR: what `lockstep stacks PID --threads all --json` says against what Python said
of itself (stands_in_python.py), for CPython 3.MINOR: each thread's Python frames in their order, C evaluators nowhere,
and native frames where Python calls C and C calls Python. Prints how many agree; exit 1 with the first difference.
"""
import json
import sys


def expect(right, what, frames):
    if not right:
        names = [f"{frame['function']} ({frame['module']})" for frame in frames]
        sys.exit(f"{what}: {len(names)} frames, {names[:20]} ... {names[-20:]}")


def is_python(frame):
    return frame["module"] == "python"


def place(frames, function):
    """Where the Python function stands, innermost first where it stands several times."""
    return max(i for i, frame in enumerate(frames) if is_python(frame) and frame["function"].split(".")[-1] == function)


def check(thread, frames, expected, minor):
    python = [[frame["function"], frame["file"], frame["line"]] for frame in frames if is_python(frame)]
    expect(python == expected, f"thread {thread}: not {expected[:20]} ... {expected[-20:]}", frames)
    expect(not any(frame["function"].startswith("_PyEval_EvalFrameDefault") for frame in frames),
           f"thread {thread}: an evaluator is left", frames)
    functions = {function.split(".")[-1] for function, _, _ in expected}
    # A deep recursion of evaluators is more native stack than is copied: then Python stands outside of what there is.
    cut = "deep" in functions and minor < 11
    expect(cut or not is_python(frames[0]), f"thread {thread}: not begun by native frames", frames)
    expect(not is_python(frames[-1]), f"thread {thread}: no native frames inside", frames)
    if "called_back" in functions:
        between = frames[place(frames, "through_c") + 1:place(frames, "called_back")]
        expect(between and not any(map(is_python, between)), "sorted() is not between its caller and callback", frames)
    if "deep" in functions:
        first = min(i for i, frame in enumerate(frames) if frame["function"] == "deep")
        among = frames[first:place(frames, "deep")]
        # From 3.11 on one evaluator runs the whole recursion.
        expect(all(map(is_python, among)) == (minor >= 11), "the recursion", frames)
    if "in_ctypes" in functions:
        inner = frames[place(frames, "in_ctypes") + 1:]
        expect(any("nanosleep" in frame["function"] for frame in inner), "no sleep inside of in_ctypes", frames)


def main(truth_path, stacks_path, minor):
    with open(truth_path) as file:
        truth = json.load(file)
    with open(stacks_path, encoding="utf-8") as file:
        threads = {str(thread["tid"]): thread for thread in json.load(file)["stacks"][0]["threads"]}
    native = 0
    for thread, expected in truth.items():
        if thread not in threads or "frames" not in threads[thread]:
            sys.exit(f"thread {thread} has no frames: {threads.get(thread)}")
        frames = [{"function": "", **frame} for frame in threads[thread]["frames"]]
        check(thread, frames, expected, int(minor))
        native += sum(not is_python(frame) for frame in frames)
    print(f"{len(truth)} threads, {sum(map(len, truth.values()))} Python and {native} native frames")


if __name__ == "__main__":
    main(*sys.argv[1:])
