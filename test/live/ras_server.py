"""Speaks NCCL's RAS protocol as its server does, with the faults that real ones have had.

Usage: ras_server.py MODE REPORT_FILE [HOST:PORT]: prints its port, one of its choice on loopback unless HOST:PORT is given,
then serves until it is killed; the file is read for each answer.
Modes: ok; comma (2.28.9 leaves
one out before "status" of a missing rank); crlf; slow (a few bytes at a time); stalled (never answers STATUS); cut (half
an answer); busy; text (knows no JSON); web (is no NCCL); empty. Each connection's requests go to stderr, a line each.
"""

import re
import socket
import sys
import threading
import time


def serve(client, mode, file):
    end = b"\r\n" if mode == "crlf" else b"\n"
    lines = client.makefile("rb")
    if mode == "web":
        client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        return
    for line in lines:
        request = line.strip().decode().upper()
        print(request, file=sys.stderr, flush=True)
        if request.startswith("CLIENT PROTOCOL "):
            client.sendall(b"SERVER PROTOCOL 2" + end)
        elif request.startswith("TIMEOUT "):
            client.sendall(b"OK" + end)
        elif request == "SET FORMAT JSON":
            client.sendall((b"ERROR: unknown command" if mode == "text" else b"OK") + end)
        elif request == "STATUS":
            answer(client, mode, file)
            return
        else:
            client.sendall(b"ERROR: Unknown command" + end)


def answer(client, mode, file):
    with open(file, encoding="utf-8") as text:
        report = text.read()
    if mode == "comma":
        report = re.sub(r'("nvml_dev": *\d+) *,(\s*"status": *\{\s*"unresponsive")', r"\1\2", report)
    data = report.encode()
    if mode == "stalled":
        time.sleep(3600)
    elif mode == "busy":
        client.sendall(b"BUSY: another client's request is running\n")
    elif mode == "cut":
        client.sendall(data[: len(data) // 2])
    elif mode == "slow":
        for at in range(0, len(data), 97):
            client.sendall(data[at : at + 97])
            time.sleep(0.01)
    elif mode != "empty":
        client.sendall(data)


def main():
    mode, file = sys.argv[1:3]
    host, _, port = (sys.argv[3] if len(sys.argv) > 3 else "127.0.0.1:0").rpartition(":")
    server = socket.create_server((host, int(port)))
    print(server.getsockname()[1], flush=True)
    while True:
        client, _ = server.accept()

        def run(client=client):
            with client:
                serve(client, mode, file)

        threading.Thread(target=run, daemon=True).start()


main()
