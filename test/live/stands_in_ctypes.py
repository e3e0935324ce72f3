"""stands_in_ctypes.py PLUGIN RANK RANKS DESCRIPTOR: a rank that records and then stands in a C function that Python
code has called; DESCRIPTOR gets a byte when it does."""
import ctypes
import os
import sys


class Table(ctypes.Structure):  # ncclProfiler_v4_t, as far as it is needed
    _fields_ = [("name", ctypes.c_char_p), ("init", ctypes.c_void_p)]


INIT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_int), ctypes.c_char_p,
                        ctypes.c_uint64, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_void_p)


def record(plugin, rank, ranks):
    table = Table.in_dll(ctypes.CDLL(plugin), "ncclProfiler_v4")
    context, mask = ctypes.c_void_p(), ctypes.c_int()
    INIT(table.init)(ctypes.byref(context), ctypes.byref(mask), b"world", 0x77, 1, ranks, rank, None)


def reads_in_c(descriptor):
    os.write(descriptor, b"x")
    ctypes.CDLL(None).pause()


def loads_data(descriptor):
    reads_in_c(descriptor)


record(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
loads_data(int(sys.argv[4]))
