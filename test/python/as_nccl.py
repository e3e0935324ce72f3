"""Calls the plugin as NCCL does: one communicator, operations between two marks of a program.

A second caller beside the emulator: the layout of the table is written down here once more, from NCCL's
header (profiler_v4: name, init, startEvent, stopEvent, recordEventState, finalize).
"""

import ctypes
import os

VOID = ctypes.c_void_p
LOG = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_ulong, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p)
INIT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(VOID), ctypes.POINTER(ctypes.c_int), ctypes.c_char_p,
                        ctypes.c_uint64, ctypes.c_int, ctypes.c_int, ctypes.c_int, LOG)
FINALIZE = ctypes.CFUNCTYPE(ctypes.c_int, VOID)


class Table(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("init", INIT), ("start", VOID), ("stop", VOID), ("state", VOID),
                ("finalize", FINALIZE)]


class Communicator:
    """A communicator of one rank, for as long as the with block lasts."""

    def __init__(self):
        # As NCCL: at once, and for itself alone.
        library = ctypes.CDLL(os.environ["NCCL_PROFILER_PLUGIN"], mode=os.RTLD_NOW | os.RTLD_LOCAL)
        self.table = Table.in_dll(library, "ncclProfiler_v4")
        self.context = VOID()
        self.mask = ctypes.c_int(0)
        self.log = LOG(0)

    def __enter__(self):
        assert self.table.init(ctypes.byref(self.context), ctypes.byref(self.mask), b"world", 7, 1, 1, 0, self.log) == 0
        return self

    def __exit__(self, *unused):
        assert self.table.finalize(self.context) == 0
