#!/usr/bin/env bash
# `ctl` asks all processes at once: here none answers before every one of them was asked.
. "$(dirname "$0")/../lib.sh"
need python3 python3
cat >"$TMP/processes.py" <<'PY'
import os, socket, sys
os.chdir(sys.argv[1])
listeners = []
for pid in (11, 12, 13):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"host.{pid}.ctl")
    listener.listen()
    listeners.append(listener)
open("ready", "w").close()
asked = [listener.accept()[0] for listener in listeners]
for pid, client in zip((11, 12, 13), asked):
    client.recv(100)
for pid, client in zip((11, 12, 13), asked):
    client.sendall(b'{"pid":%d}\n' % pid)
    client.close()
PY
mkdir "$TMP/run"
python3 "$TMP/processes.py" "$TMP/run" &
until [ -e "$TMP/run/ready" ]; do sleep 0.05; done
"$BUILD/lockstep" ctl "$TMP/run" status >"$TMP/answers" 2>&1 || fail "ctl: $(cat "$TMP/answers")"
want_equal "answers, in the order of the sockets" '{"pid":11} {"pid":12} {"pid":13}' "$(paste -sd ' ' "$TMP/answers")"
wait
