"""Reads what `lockstep cat` prints of a recording of lockstep-fields and compares every field with the value that this
driver gave it. Usage: every_field.py docs/format.md VERSION <RECORDS; no field that this page lists may lack a value here."""

import json
import re
import sys

RANK = 5
VALUES = {
    "Group": {},
    "Coll": {
        "channels": 0x55, "warps": 0x56, "symmetric": True, "parent_group": 0x59, "seq_number": 0x51, "count": 0x52,
        "send_buff": "0x53", "recv_buff": "0x54", "func": "AllReduce", "datatype": "ncclFloat32", "algo": "RING",
        "proto": "LL128", "root": -7, "kernel_variant": "variant", "user_tag": 0x5a, "traffic_bytes": 0x57, "op": 0x58,
        "collnet": True, "nvls": False},
    "P2p": {
        "channels": 0x63, "parent_group": 0x64, "count": 0x61, "buff": "0x62", "func": "Send", "datatype": "ncclFloat32",
        "peer": -8, "user_tag": 0x65},
    "ProxyOp": {"peer": -9, "channel": 0x71, "is_send": True, "steps": 0x72, "chunk_size": 0x73},
    "ProxyStep": {"step": 0x74},
    "ProxyCtrl": {},
    "KernelCh": {"channel": 0x75, "p_timer": 0x76},
    "NetPlugin": {
        "net_id": 0x10001, "device": 0x81, "opcode": 0x82, "wr_id": 0x83, "length": 0x84, "qp_num": 0x85},
    "NetPlugin of sockets": {
        "net_id": 0x20001, "device": 0x86, "opcode": 0x87, "wr_id": 0, "length": 0x88, "qp_num": 0},
    "GroupApi": {"depth": 0x91, "graph_captured": True},
    "CollApi": {
        "graph_captured": True, "count": 0x92, "func": "Broadcast", "datatype": "ncclInt8", "root": -10, "stream": "0x93",
        "user_tag": 0x94},
    "P2pApi": {
        "graph_captured": True, "count": 0x95, "func": "Recv", "datatype": "ncclInt8", "stream": "0x96", "user_tag": 0x97},
    "KernelLaunch": {"stream": "0x98"},
    "CeColl": {
        "intra_batch_sync": True, "seq_number": 0xa1, "count": 0xa2, "send_buff": "0xa3", "recv_buff": "0xa4",
        "func": "AllGather", "datatype": "ncclFloat16", "sync_strategy": "strategy", "root": -11, "batch_size": 0xa5,
        "num_batches": 0xa6, "ce_seq_num": 0xa7, "stream": "0xa8", "user_tag": 0xa9},
    "CeSync": {"is_complete": True, "ranks": 0xaa},
    "CeBatch": {"num_ops": 0xab, "use_intra_sync": True, "total_bytes": 0xac},
    "KernelPhase": {"channel": 0xb1, "phase": 2, "name": "compute", "p_timer": 0xb2},
}
# What a table's version lacks: fields by kind and name, with the first and last version that has them.
SINCE = {"user_tag": 7, "kernel_variant": 7, "symmetric": 7, "parent_group": 5, "p_timer": 4}
UNTIL = {"traffic_bytes": 2, "op": 1, "collnet": 1, "nvls": 1}
KINDS_SINCE = {"KernelCh": 3, "NetPlugin": 3, "GroupApi": 5, "CollApi": 5, "P2pApi": 5, "KernelLaunch": 5, "CeColl": 6,
               "CeSync": 6, "CeBatch": 6, "KernelPhase": 7}


def nothing(value):
    return None if isinstance(value, str) and not value.startswith("0x") else "0x0" if isinstance(value, str) else type(value)()


def expected(kind, version):
    fields = {}
    for name, value in VALUES[kind].items():
        has = SINCE.get(name, 1) <= version <= UNTIL.get(name, 7)
        if kind == "P2p" and name == "channels":
            has = version >= 5
        fields[name] = value if has else nothing(value)
    fields.update({"parent": 0, "event_rank": RANK})
    return fields


def comm_records(version):
    if version <= 3:
        init = {"comm_id": "0x0", "name": None, "ranks": 0, "nodes": 0, "abi_version": version}
        return {"comm_init": init, "comm_info": {"comm_id": "0x99", "name": "world"}, "comm_finalize": {}}
    init = {"comm_id": "0x99", "name": "world", "ranks": 0x11, "nodes": 0x12, "abi_version": version}
    return {"comm_init": init, "comm_finalize": {}}


def main(document, version):
    listed = {}
    for kind, name in re.findall(r"^\| \d+ \| start of (\w+) \| \d+ \| \w+ \| [\d-]+ \| (\w+) \|", open(document).read(), re.M):
        listed.setdefault(kind, set()).add(name)
    seen = set()
    for line in sys.stdin:
        pairs = json.loads(line, object_pairs_hook=lambda found: found)
        names = [name for name, _ in pairs]
        place, found = dict(pairs[:names.index("call")]), dict(pairs[names.index("call") + 1:])
        call = dict(pairs)["call"]
        if call.startswith("comm_"):
            want = comm_records(version)[call]
            seen.add(call)
            assert place["rank"] == (0x10 if version >= 4 else 0), line
        elif call == "start":
            kind = found.pop("kind")
            found.pop("id")
            if kind == "ProxyOp":
                assert found.pop("pid") == place["pid"], line
            want = expected(kind + " of sockets" if found.get("net_id") == 0x20001 else kind, version)
            lacks = listed.get(kind, set()) - set(want) - {"pid"}
            assert not lacks, "%s: no value for %s; give it one here and in lockstep-fields" % (kind, lacks)
            seen.add(kind)
        else:
            continue
        assert found == want, "v%d: %s: lockstep cat says %s, given was %s" % (version, line.strip(), found, want)
    all_kinds = {kind for kind in VALUES if " " not in kind and KINDS_SINCE.get(kind, 1) <= version}
    assert seen == all_kinds | set(comm_records(version)), "v%d: not seen: %s" % (version, all_kinds - seen)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
