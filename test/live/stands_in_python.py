"""Threads that stand in known places of Python code, and what Python itself says of their stacks.

stands_in_python.py OUT: once every thread has reached its place (a line marked STANDS), writes to OUT a JSON
object {thread id of the kernel: [[function, file, line], ...]}, outermost first, as sys._current_frames() has
them, and stands there until it is killed. Functions have their qualified names where code objects know them
(from 3.11 on).
"""
import asyncio
import ctypes
import functools
import json
import linecache
import os
import sys
import threading
import time

DEPTH = 500
gate = threading.Event()  # never set


class Trainer:
    def step(self):
        def inner():
            gate.wait()  # STANDS
        inner()


def asleep():
    time.sleep(  # STANDS
        3600
    )


def deep(n):
    if n == 0:
        return gate.wait()  # STANDS
    return deep(n - 1)


def numbers():
    yield 1
    yield from more_numbers()


def more_numbers():
    yield 2
    gate.wait()  # STANDS
    yield 3


def consume():
    return [n for n in numbers()]


def called_back(value):
    gate.wait()  # STANDS
    return value


def through_c():
    # Each of these leaves Python code and comes back: a call of the C evaluator more.
    return sorted(map(functools.partial(called_back), [1]), key=lambda n: -n)


def größe():
    def 函数():
        def 𐎠𐎡():
            gate.wait()  # STANDS
        𐎠𐎡()
    函数()


async def leaf():
    await asyncio.sleep(0)
    time.sleep(3600)  # STANDS


async def parent():
    await leaf()


def in_coroutine():
    asyncio.run(parent())


class Context:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        gate.wait()  # STANDS


def in_exit():
    with Context():
        try:
            raise ValueError("handled")
        except ValueError:
            pass
        finally:
            time.sleep(0)


# A function of a thousand lines whose file has a name of its own: deltas of lines that need several entries.
LONG = "\n" * 300 + "def long_function(gate):\n" + "    x = 1\n" * 20 + "\n" * 700 + """
    for i in (
        1,

        gate.wait(),  # STANDS
    ):
        x = i
"""
LONG_FILE = "naïve/模块 𐎠.py"
linecache.cache[LONG_FILE] = (len(LONG), None, LONG.splitlines(True), LONG_FILE)
exec(compile(LONG, LONG_FILE, "exec"))  # defines long_function


def in_class_body():
    class Body:
        value = gate.wait()  # STANDS
    return Body


def in_ctypes():
    library = ctypes.CDLL(None)
    library.sleep(3600)  # STANDS


def in_child(out):
    """A forked child: its only thread has another id than the parent's thread it comes from."""
    # Waits as the parent's other threads do, without the parent's locks.
    judge_in_child = threading.Thread(target=judge, args=(out, {threading.get_ident(): os.getpid()}), daemon=True)
    judge_in_child.start()
    in_ctypes()


def stack_of(frame):
    stack = []
    while frame is not None:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        stack.append([name, code.co_filename, frame.f_lineno])
        frame = frame.f_back
    return stack[::-1]


def stands(stack):
    file, line = stack[-1][1:]
    if os.path.basename(file) == "threading.py":  # Event.wait() stands in Condition.wait()
        return stack[-1][0].endswith("wait") and any("STANDS" in linecache.getline(f, n) for _, f, n in stack)
    return "STANDS" in linecache.getline(file, line)


def judge(out, threads):
    """Writes OUT when all the threads, kernel ids by Python's, stand in their places, twice the same."""
    seen = None
    while True:
        stacks = {ident: stack_of(frame) for ident, frame in sys._current_frames().items() if ident in threads}
        if len(stacks) == len(threads) and all(map(stands, stacks.values())) and stacks == seen:
            break
        seen = stacks
        time.sleep(0.02)
    with open(out + ".part", "w") as file:
        json.dump({threads[ident]: stack for ident, stack in stacks.items()}, file)
    os.rename(out + ".part", out)
    # Stands in C itself, so that nothing of this process moves.
    ctypes.CDLL(None).sleep(3600)


def main(out):
    sys.setrecursionlimit(5000)
    places = [Trainer().step, asleep, functools.partial(deep, DEPTH), consume, through_c, größe, in_coroutine,
              in_exit, functools.partial(long_function, gate), in_class_body, in_ctypes]
    child = os.fork()
    if child == 0:
        in_child(out + ".child")
    with open(out + ".child.pid", "w") as file:
        file.write(str(child))
    threads = {threading.get_ident(): os.getpid()}
    for place in places:
        thread = threading.Thread(target=place, daemon=True)
        thread.start()
        threads[thread.ident] = thread.native_id
    threading.Thread(target=judge, args=(out, threads), daemon=True).start()
    in_ctypes()


if __name__ == "__main__":
    main(sys.argv[1])
