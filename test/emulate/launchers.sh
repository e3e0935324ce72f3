#!/usr/bin/env bash
# One process per rank, started from outside: by arguments, as torchrun does, as mpirun does, as srun does.
. "$(dirname "$0")/../lib.sh"
need jq jq
emulate() { "$BUILD/lockstep-emulate" "$BUILD/test/libcount.so" --iterations 2 "$@"; }
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
need python3 python3

# each NAME: what the two processes printed is one process with one communicator each.
each() {
  wait
  for rank in 0 1; do
    want_equal "$1: processes of rank $rank" 1 "$(jq .processes "$TMP/$1.$rank")"
    want_equal "$1: collectives of rank $rank" 2 "$(jq .starts.Coll "$TMP/$1.$rank")"
  done
}

port=$(free_port)
for rank in 1 0; do emulate --rank $rank --world 2 --master "127.0.0.1:$port" >"$TMP/arguments.$rank" & done
each arguments
port=$(free_port)
for rank in 0 1; do
  RANK=$rank WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port emulate >"$TMP/torchrun.$rank" &
done
each torchrun
port=$(free_port)
for rank in 0 1; do
  OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 emulate --master "127.0.0.1:$port" >"$TMP/mpirun.$rank" &
done
each mpirun
port=$(free_port)
for rank in 0 1; do
  SLURM_PROCID=$rank SLURM_NTASKS=2 SLURM_STEP_NODELIST="localhost" MASTER_PORT=$port emulate >"$TMP/srun.$rank" &
done
each srun

rc=0
emulate --rank 2 --world 2 2>"$TMP/err" >/dev/null || rc=$?
want_equal "exit status for a rank outside the world" 2 "$rc"
grep -q 'rank 2 is not below the world size 2' "$TMP/err" || fail "unclear: $(cat "$TMP/err")"
