"""The copy of lockstep that NCCL has loaded into this process.

NCCL loads its plugins privately (RTLD_LOCAL), so their functions are not among the process's
symbols. The library is found by its name among the mapped files and opened once more without
loading it (RTLD_NOLOAD).
"""

from __future__ import annotations

import ctypes
import os
import time
from typing import Callable, Dict, Optional, Set

# The functions of include/lockstep/mark.h: each returns 0 when the mark was recorded.
_TEXT = (ctypes.c_char_p,)
_NUMBER = (ctypes.c_uint64,)
_ARGUMENTS = {
    "lockstep_step_begin": _NUMBER,
    "lockstep_step_end": _NUMBER,
    "lockstep_range_push": _TEXT,
    "lockstep_range_pop": (),
    "lockstep_text": _TEXT,
    "lockstep_capture_start": _TEXT,
    "lockstep_capture_stop": _TEXT,
}
_LOOK_EVERY_S = 1.0  # while it is not there: reading the list of mapped files takes a millisecond

_functions: Dict[str, Callable[..., int]] = {}
_next_look = 0.0


def _mapped_candidates() -> Set[str]:
    candidates = set()
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            for line in maps:
                fields = line.rstrip("\n").split(maxsplit=5)
                if len(fields) == 6 and "nccl-profiler" in os.path.basename(fields[5]):
                    candidates.add(fields[5])
    except OSError:
        pass  # no /proc: then lockstep does not record here
    return candidates


def _functions_of(path: str) -> Dict[str, Callable[..., int]]:
    # PyDLL keeps the interpreter's lock: a mark is shorter than giving it away and taking it back.
    library = ctypes.PyDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
    functions = {}
    for name, arguments in _ARGUMENTS.items():
        function = getattr(library, name)
        function.argtypes = arguments
        function.restype = ctypes.c_int
        functions[name] = function
    return functions


def _look() -> None:
    global _functions
    for path in _mapped_candidates():
        try:
            _functions = _functions_of(path)
            return
        except (OSError, AttributeError):
            continue  # another profiler plugin, or unmapped meanwhile


def mark(name: str, *arguments: object) -> bool:
    """Calls a function of mark.h. False: not recorded, lockstep is not in this process (yet)."""
    global _next_look
    if not _functions:
        now = time.monotonic()
        if now < _next_look:
            return False
        _next_look = now + _LOOK_EVERY_S
        _look()
        if not _functions:
            return False
    return _functions[name](*arguments) == 0


def encoded(name: Optional[str]) -> bytes:
    """As mark.h takes it: UTF-8, up to the first NUL."""
    return (name or "").encode("utf-8", "replace")
