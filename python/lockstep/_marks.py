"""Marks: training steps, ranges and texts in the recording of this process.

Every function may be called from any thread at any time. Where lockstep does not record this
process, a mark does nothing. Texts are kept up to 255 bytes of UTF-8, and some three thousand
different ones of a process: put no numbers into them.
"""

from __future__ import annotations

from contextlib import ContextDecorator
from types import TracebackType
from typing import Any, Optional, Type, TypeVar

from . import _loaded


_Same = TypeVar("_Same", bound="_Begun")


class _Begun:
    """What has begun and ends once: with the ``with`` block, or by the function of its class."""

    def __init__(self, begin: str, end: str, what: Any) -> None:
        self._open = _loaded.mark(begin, what)
        self._end = end
        self._what = what

    @property
    def recorded(self) -> bool:
        """Whether its begin went into a recording, and its end has not yet."""
        return self._open

    def _close(self) -> None:
        if self._open:
            self._open = False
            _loaded.mark(self._end, self._what)

    def __enter__(self: _Same) -> _Same:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self._close()


class Step(_Begun):
    """A training step that has begun. It ends with the ``with`` block, by ``end()``, or when the
    next one begins."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__("lockstep_step_begin", "lockstep_step_end", number)

    def end(self) -> None:
        self._close()


_current_step: Optional[Step] = None


def step(number: int) -> Step:
    """Begins training step ``number`` (0 or more) and ends the one that this function began before.

    Either as ``with lockstep.step(n):`` around a step, or as ``lockstep.step(n)`` at its begin.
    """
    global _current_step
    if number < 0:
        raise ValueError(f"a step has a number of 0 or more, not {number}")
    if _current_step is not None:
        _current_step.end()
    _current_step = Step(number)
    return _current_step


class Range(ContextDecorator):
    """A named range of the thread that enters it; ranges nest. See ``range``."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._bytes = _loaded.encoded(name)
        self._pushed = []  # one entry for each time it is entered and not left yet

    def _recreate_cm(self) -> "Range":
        return Range(self.name)  # for each call of a decorated function: threads share none

    def __enter__(self) -> "Range":
        self._pushed.append(_loaded.mark("lockstep_range_push", self._bytes))
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._pushed.pop():
            _loaded.mark("lockstep_range_pop")


def range(name: str) -> Range:  # noqa: A001 (the word of the field)
    """A range of this thread: ``with lockstep.range("forward"):``, or as a decorator."""
    return Range(name)


def text(words: str) -> bool:
    """Puts a line into the recording, at this instant. True when it was recorded."""
    return _loaded.mark("lockstep_text", _loaded.encoded(words))


class Capture(_Begun):
    """A capture that has begun. It ends with the ``with`` block, or by ``stop()``."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            "lockstep_capture_start", "lockstep_capture_stop", _loaded.encoded(name)
        )

    def stop(self) -> None:
        self._close()


def capture(name: str) -> Capture:
    """Marks the part of the recording to look at: ``with lockstep.capture("after warm-up"):``."""
    return Capture(name)


class StepHook:
    """What ``attach`` returns; ``remove()`` ends the step and leaves the optimizer alone."""

    def __init__(self, handle: Any, first: int) -> None:
        self._handle = handle
        self._step = step(first)

    def _next(self, *unused: object) -> None:
        self._step = step(self._step.number + 1)

    def remove(self) -> None:
        self._handle.remove()
        self._step.end()


def attach(optimizer: Any, first: int = 0) -> StepHook:
    """Marks steps by a PyTorch optimizer: step ``first`` begins now, the next with each ``step()``.

    ``optimizer``: anything with ``register_step_post_hook``, as ``torch.optim.Optimizer`` has since
    PyTorch 2.0. With several optimizers attach the one that steps once a training step.
    """
    register = getattr(optimizer, "register_step_post_hook", None)
    if register is None:
        raise TypeError(
            f"{type(optimizer).__name__} has no register_step_post_hook (PyTorch 2.0 or newer); "
            "call lockstep.step(n) in the training loop instead"
        )
    hook: Optional[StepHook] = None

    def after_step(*unused: object) -> None:
        if hook is not None:
            hook._next()

    hook = StepHook(register(after_step), first)
    return hook
