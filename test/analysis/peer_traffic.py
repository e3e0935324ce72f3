"""Recounts who sends how much to whom from the records of `lockstep cat`, and compares that with peer_traffic.csv. Prints
what differs; exit 1 when anything does."""
import csv
import json
import subprocess
import sys

BYTES = {"ncclInt8": 1, "ncclFloat16": 2, "ncclBfloat16": 2, "ncclFloat32": 4}


def from_records(lockstep, run):
    comm_ids, counted = {}, {}
    cat = subprocess.run([lockstep, "cat", run], capture_output=True, text=True, check=True)
    for line in cat.stdout.splitlines():
        record = json.loads(line)
        handle = (record["host"], record["pid"], record.get("comm"))
        if record["call"] == "comm_init":
            comm_ids[handle] = int(record["comm_id"], 16)
        elif record.get("kind") == "P2p" and record["call"] == "start":
            entry = counted.setdefault((comm_ids[handle], record["rank"], record["peer"]), [0, 0, 0, 0])
            side = 0 if record["func"] == "Send" else 2
            entry[side] += 1
            entry[side + 1] += record["count"] * BYTES[record["datatype"]]
    return counted


def from_table(folder):
    with open(f"{folder}/communicators.csv", newline="") as file:
        ids = {row["communicator"]: int(row["comm_id"]) for row in csv.DictReader(file)}
    with open(f"{folder}/peer_traffic.csv", newline="") as file:
        return {(ids[row["communicator"]], int(row["rank"]), int(row["peer"])):
                [int(row[column]) for column in ("sends", "sent_bytes", "receives", "received_bytes")]
                for row in csv.DictReader(file)}


def main():
    counted, table = from_records(*sys.argv[1:3]), from_table(sys.argv[3])
    different = [key for key in sorted(set(counted) | set(table)) if counted.get(key) != table.get(key)]
    for key in different:
        print(f"{key}: the records have {counted.get(key)}, the table {table.get(key)}")
    if len(counted) < 2:
        print("nothing to compare")
    return 1 if different or len(counted) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
