#!/usr/bin/env bash
# report.html of each kind of run, in headless Chromium: what it says first, what it draws, by keyboard, narrow, dark, on
# paper, for people who do not see it; nothing on the console, nothing asked of the network; and how large it is.
# timeout: 600
. "$(dirname "$0")/../lib.sh"
need_page
need jq jq
need zstd zstd
export LOCKSTEP_HOST_LOAD=0

play() {  # play RUN LOG...: recorded calls, at their own times
  local run=$TMP/$1
  shift
  LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=all LOCKSTEP_DIR=$run "$BUILD/lockstep-replay" --virtual "$BUILD/libnccl-profiler.so" "$@" >"$TMP/played"
}
simulate() {  # simulate RUN OPTIONS...
  local run=$TMP/$1
  shift
  "$BUILD/lockstep-simulate" --seed 1 --noise quiet "$@" "$run" >"$TMP/simulated"
}
runs=$ROOT/test/data/runs
play straggler "$runs"/straggler/*.zst
play hang "$runs"/hang/*.zst
play healthy "$runs"/healthy_groups/*.zst
play several "$runs"/straggler_split/*.zst
play alltoall "$runs"/healthy_alltoall/*.zst
play damaged "$runs"/straggler/*.zst
for segment in "$TMP"/damaged/*.lks; do printf 'damage' | dd of="$segment" bs=1 seek=3000 conv=notrunc status=none; break; done
mkdir "$TMP/logs"
for rank in 0 1 2 3; do
  zstd -dcq "$runs/straggler/rank$rank.txt.zst" | sed 's|name=world|name=</script><img/src=x/onerror=alert(1)>|' >"$TMP/logs/$rank.txt"
done
play hostile "$TMP"/logs/*.txt
simulate proven --ranks 8 --schedule ddp --steps 20
simulate slow-host --ranks 16 --gpus-per-host 4 --schedule ddp --class late-host --size 0.5 --rank 5 --steps 20
simulate deadlock --ranks 8 --class deadlock --schedule tp-dp --steps 12
simulate parallel --ranks 8 --schedule tp-dp --steps 12
simulate two-groups --ranks 8 --gpus-per-host 2 --schedule tp-dp --class slow-link --steps 12
simulate network --ranks 12 --gpus-per-host 4 --class slow-network-bursts --size 2 --events step --steps 24
simulate pipe --ranks 16 --gpus-per-host 1 --schedule 1f1b --pp 8 --tp 1 --activation-bytes 16M --class slow-link --size 12 --steps 16
simulate many --ranks 64 --schedule ddp --class late-rank --rank 45 --steps 12
simulate large --ranks 1024 --gpus-per-host 8 --schedule ddp --class late-rank --rank 700 --steps 12
cp -r "$ROOT/test/data/recordings/causes/network_loss" "$TMP/lossy"
LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/one "$BUILD/lockstep-emulate" --ranks 1 --iterations 20 "$BUILD/libnccl-profiler.so" >"$TMP/played"

for run in straggler hang deadlock healthy several alltoall damaged hostile proven slow-host parallel two-groups network pipe lossy many large one; do
  "$BUILD/lockstep" report "$TMP/$run" --force >"$TMP/head" 2>"$TMP/err" || [ $? = 1 ] || fail "$run: $(cat "$TMP/err")"
  ! grep -oiE '<[a-z]+[^>]* (src|href)=.?(https?:)?//[^ >]*' "$TMP/$run/report.html" || fail "$run: the page refers to the network"
done
# A job log with two lines in the middle of the run.
mkdir "$TMP/proven/logs"
middle=$("$BUILD/lockstep" report "$TMP/proven" --force --json | jq '(.origin_unix_ns + .length_ns / 2) / 1e9')
printf '%s step 9\n%s ERROR <b>loss is nan</b>\n' "$middle" "$middle" >"$TMP/proven/logs/train.log"
"$BUILD/lockstep" report "$TMP/proven" --force >"$TMP/head" || fail "a run with a log: $(cat "$TMP/head")"
mkdir "$TMP/empty"
status=0
"$BUILD/lockstep" report "$TMP/empty" >"$TMP/head" 2>"$TMP/err" || status=$?
want_equal "exit code without a recording" 3 "$status"
[ -s "$TMP/err" ] && [ ! -e "$TMP/empty/report.html" ] || fail "a page of nothing: $(cat "$TMP/err")"
simulate compared --ranks 8 --schedule ddp --steps 20 --class slow-gpu-transfer --rank 3
"$BUILD/lockstep" report "$TMP/compared" --compare "$TMP/proven" >"$TMP/head" || [ $? = 1 ] || fail "nothing to compare: $(cat "$TMP/head")"
size=$(stat -c %s "$TMP/many/report.html")
[ "$size" -le 3000000 ] || fail "the page of 64 ranks has $size bytes, more than 3 MB"

# esbuild drops the types without looking at them.
node "$ROOT/node_modules/typescript/bin/tsc" -p "$ROOT/page" >"$TMP/types" || fail "types: $(cat "$TMP/types")"
node "$ROOT/test/report/page.mjs" "$TMP" || fail "the page is not as it should be"
node "$ROOT/test/report/first.mjs" "$TMP" || fail "what the page says in words is not as it should be"
node "$ROOT/test/report/cells.mjs" "$TMP" || fail "the heat map's cells are not as they should be by keyboard"
node "$ROOT/test/report/sections.mjs" "$TMP" || fail "what stands below the heat map is not as it should be"
node "$ROOT/test/report/leads.mjs" "$TMP" || fail "numbers do not lead to where the plots have them"
node "$ROOT/test/report/paper.mjs" "$TMP" || fail "the page does not print as it should"
