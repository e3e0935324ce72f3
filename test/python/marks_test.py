"""Marks of a program, as the recording has them: run with NCCL_PROFILER_PLUGIN and LOCKSTEP_DIR set."""

import threading
import time

import lockstep
from as_nccl import Communicator


class Optimizer:
    """The part of torch.optim.Optimizer that attach() uses: a hook is called with the optimizer and step()'s arguments."""

    def __init__(self):
        self.hooks = {}

    def register_step_post_hook(self, hook):
        key = object()
        self.hooks[key] = hook

        class Handle:
            @staticmethod
            def remove():
                del self.hooks[key]

        return Handle()

    def step(self):
        for hook in list(self.hooks.values()):
            hook(self, (), {})


@lockstep.range("forward")
def forward(depth):
    if depth > 0:
        forward(depth - 1)


def many(count):
    for _ in range(count):
        with lockstep.range("of a thread"):
            pass


assert not lockstep.step(99).recorded, "there is no recording before NCCL initialises"
assert not lockstep.text("too early")
time.sleep(1.1)  # it looks for the plugin once a second while there is none

with Communicator():
    with lockstep.step(1) as first:
        assert first.recorded
        forward(2)
    assert not first.recorded
    lockstep.step(2)
    lockstep.step(3).end()
    try:
        with lockstep.range("fails"):
            raise KeyError
    except KeyError:
        pass
    threads = [threading.Thread(target=many, args=(1000,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    optimizer = Optimizer()
    hook = lockstep.attach(optimizer, first=10)
    optimizer.step()
    optimizer.step()
    hook.remove()
    optimizer.step()
    with lockstep.capture("after warm-up"):
        assert lockstep.text("günstig")
assert lockstep.step(4).recorded, "marks after the last communicator are recorded as well"
