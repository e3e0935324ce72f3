#!/usr/bin/env bash
# `lockstep collect` moves a node's recordings into the common directory, continues where it was interrupted, trusts
# nothing that it has not compared, and loses nothing.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
DEST=$TMP/run
export LOCKSTEP_HOST_LOAD=0
sums() { (cd "$1" && sha256sum ./*.lks); }
size() { stat -c %s "$1"; }
record() {  # record EMULATOR_OPTION...: into $TMP/local
  rm -rf "$TMP/local" "$DEST"
  LOCKSTEP_DIR=$TMP/local "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --ranks 2 --nodes 1 --stall-us 30000000 \
    --iterations 500 "$@" >"$TMP/counts" || true
  echo "stands for what was sampled" >"$TMP/local/$(hostname).load"  # collect goes by its name
}

record
before=$(sums "$TMP/local")
"$lockstep" collect "$TMP/local" --to "$DEST" >"$TMP/out"
want_equal "files" "$before" "$(sums "$DEST")"
want_equal "the load of the host" 1 "$(find "$DEST" -name "$(hostname).load" | wc -l)"
[ ! -e "$TMP/local" ] || fail "left behind: $(ls "$TMP/local")"
"$lockstep" verify "$DEST" >/dev/null || fail "what was collected is not complete"

# Stopped by its file size limit in the middle of a file, then called again: it copies only what is lacking.
record
before=$(sums "$TMP/local")
first=$(cd "$TMP/local" && echo *.0.lks | cut -d' ' -f1)
marker=/dev/shm/lockstep-$(id -u)-$$
(ulimit -f 8; SLURM_JOB_ID=$$ "$lockstep" collect "$TMP/local" --to "$DEST" >/dev/null 2>&1) && fail "the limit did not interrupt it"
[ -z "$(compgen -G "$marker-*.run")" ] || fail "it tells the epilog although it has ended"
want_equal "nothing is named before it is whole" "" "$(find "$DEST" -name '*.lks')"
want_equal "nothing is lost" "$before" "$(sums "$TMP/local")"
half=$(cat "$DEST"/*.part | wc -c)
[ "$half" -gt 0 ] || fail "nothing was copied before the limit"
all=$(cat "$TMP/local"/*.{lks,load} | wc -c)
SLURM_JOB_ID=$$ "$lockstep" collect "$TMP/local" --to "$DEST" >"$TMP/out"
[ -z "$(compgen -G "$marker-*.run")" ] || fail "it tells the epilog although it has ended"
want_equal "bytes copied by the second call" "$(hostname): 3 files, $((all - half)) bytes copied to $DEST" "$(cat "$TMP/out")"
want_equal "files" "$before" "$(sums "$DEST")"

want_equal "a third call" "$(hostname): nothing to collect: there is no $TMP/local" "$("$lockstep" collect "$TMP/local" --to "$DEST")"

# Host directories stay what they are.
record
before=$(sums "$TMP/local")
mkdir "$TMP/local/$(hostname)"
mv "$TMP/local"/*.lks "$TMP/local/$(hostname)"
"$lockstep" collect "$TMP/local/" --to "$DEST" >"$TMP/out"
want_equal "files in the host's directory" "$before" "$(sums "$DEST/$(hostname)")"
want_equal "files elsewhere" "" "$(find "$DEST" -maxdepth 1 -name '*.lks')"
[ ! -e "$TMP/local" ] || fail "left behind: $(find "$TMP/local")"

echo "captures come along, with the records that they have for themselves"
record
mkdir -p "$TMP/local/captures/kept"
cp "$TMP/local"/*.0.lks "$TMP/local/captures/kept"
echo '{"id":"kept","ranks":[]}' >"$TMP/local/captures/kept.json"
before=$(cd "$TMP/local" && find captures -type f -exec sha256sum {} + | sort)
"$lockstep" collect "$TMP/local" --to "$DEST" >"$TMP/out"
want_equal "files of captures" "$before" "$(cd "$DEST" && find captures -type f -exec sha256sum {} + | sort)"
want_equal "captures of the run" kept "$("$lockstep" captures list "$DEST" --json | jq -r '.[].id')"
"$lockstep" verify "$DEST/captures/kept" >/dev/null || fail "the capture's own records did not arrive whole"
[ ! -e "$TMP/local" ] || fail "left behind: $(find "$TMP/local")"

# A part that is another file's beginning is not believed.
record
before=$(sums "$TMP/local")
mkdir "$DEST"
head -c 1000 /dev/urandom >"$DEST/$(cd "$TMP/local" && echo *.0.lks | cut -d' ' -f1).part"
"$lockstep" collect "$TMP/local" --to "$DEST" >/dev/null
want_equal "files" "$before" "$(sums "$DEST")"

# Neither is a file of the same name; the original stays.
record
mkdir "$DEST"
first=$(cd "$TMP/local" && echo *.0.lks | cut -d' ' -f1)
echo other >"$DEST/$first"
rc=0
"$lockstep" collect "$TMP/local" --to "$DEST" >/dev/null 2>"$TMP/err" || rc=$?
want_equal "exit code" 3 "$rc"
grep -q "is there and is not" "$TMP/err" || fail "no sentence: $(cat "$TMP/err")"
[ -e "$TMP/local/$first" ] || fail "the original is gone"
want_equal "the other file" other "$(cat "$DEST/$first")"

# What killed processes left in memory comes along.
record --end kill
"$lockstep" collect "$TMP/local" --to "$DEST" >/dev/null
"$lockstep" verify "$DEST" >"$TMP/verify" || fail "after a kill: $(cat "$TMP/verify")"

# Killed before the first file has its name: the epilog is told, and the next call goes on.
need strace strace
rm -rf "$DEST"
record
before=$(sums "$TMP/local")
SLURM_JOB_ID=$$ strace -f -qq -o /dev/null -e trace=/rename -e inject=/rename:error=EIO:signal=KILL \
  "$lockstep" collect "$TMP/local" --to "$DEST" >/dev/null 2>&1 && fail "it was not killed"
want_equal "what tells the epilog" "$DEST" "$(cat "$marker"-*.run | sed -n 2p)"
rm "$marker"-*.run
want_equal "nothing is lost" "$before" "$(sums "$TMP/local")"
"$lockstep" collect "$TMP/local" --to "$DEST" >"$TMP/out"
want_equal "files" "$before" "$(sums "$DEST")"
