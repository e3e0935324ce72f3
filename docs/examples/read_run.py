"""Prints every record of a run as a line of JSON, through liblockstep and ctypes: python3 read_run.py my-run"""
import ctypes as c
import json
import sys

class Field(c.Structure):
    _fields_ = [("name", c.c_char_p), ("unit", c.c_char_p), ("note", c.c_char_p), ("type", c.c_int)]

class Record(c.Structure):  # the first members of lockstep_record (lockstep/read.h); the library makes them
    _fields_ = [("raw_ns", c.c_uint64), ("id", c.c_uint64), ("thread", c.c_char_p), ("fields", c.POINTER(Field)),
                ("field_count", c.c_uint32), ("process", c.c_uint32), ("tid", c.c_uint32), ("call", c.c_int),
                ("kind", c.c_int32)]

lib = c.CDLL("liblockstep.so.0")
lib.lockstep_value.restype = c.c_uint64
for function in (lib.lockstep_error, lib.lockstep_call_name, lib.lockstep_kind_name, lib.lockstep_text):
    function.restype = c.c_char_p

def text(found):
    return found if found is None else found.decode()

# By lockstep_type: signed numbers, flags, texts, addresses; all others are the number itself.
READ = {1: lambda record, i: c.c_int64(lib.lockstep_value(record, i)).value,
        2: lambda record, i: lib.lockstep_value(record, i) != 0,
        3: lambda record, i: text(lib.lockstep_text(record, i)),
        4: lambda record, i: hex(lib.lockstep_value(record, i))}
run, records, record = c.c_void_p(), c.c_void_p(), c.POINTER(Record)()
if (lib.lockstep_open(sys.argv[1].encode(), c.byref(run)) or
        lib.lockstep_read_records(run, c.c_size_t(-1), c.byref(records))):
    sys.exit(text(lib.lockstep_error()))
while lib.lockstep_next(records, c.byref(record)) == 0:
    now = record.contents
    line = {"raw_ns": now.raw_ns, "tid": now.tid, "call": text(lib.lockstep_call_name(now.call)),
            "kind": text(lib.lockstep_kind_name(now.kind))}
    for i, field in enumerate(now.fields[:now.field_count]):
        line[text(field.name)] = READ.get(field.type, lib.lockstep_value)(record, c.c_size_t(i))
    print(json.dumps(line))
