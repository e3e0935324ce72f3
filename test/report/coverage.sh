#!/usr/bin/env bash
# Under every table of summary.md one line says of which ranks it is and what could not be known there, from calls and
# recordings of real NCCL; the record of each communicator in --json counts what SQL counts.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
calls=$ROOT/test/data/calls
played() { # NAME EVENTS LOG...
  LOCKSTEP_EVENTS=$2 LOCKSTEP_DIR=$TMP/$1 "$BUILD/lockstep-replay" "$BUILD/libnccl-profiler.so" --virtual "${@:3}" >/dev/null
  "$lockstep" report "$TMP/$1" >/dev/null || [ $? = 1 ] || fail "no report of $1"
}
recorded() { # NAME
  cp -r "$ROOT/test/data/recordings/$1" "$TMP/$1"
  "$lockstep" report "$TMP/$1" --force >/dev/null || [ $? = 1 ] || fail "no report of $1"
}
under() { # NAME TITLE: the line under that table
  sed -n "/^## $2\$/,/^## /p" "$TMP/$1/summary.md" | grep '^Covers ' || true
}
known() { # NAME FIELD...
  "$lockstep" report "$TMP/$1" --json --force 2>/dev/null | python3 -c '
import json, sys
for one in json.load(sys.stdin)["capabilities"]:
    print(*[" ".join(one[f]) if isinstance(one[f], list) else one[f] for f in sys.argv[1:]], sep=",")' "${@:2}"
}

played all all "$calls"/one_allreduce.*.txt.zst
want_equal "where all is known" "Covers all 2 ranks of world." "$(under all Operations)"
want_equal "links, where all is known" "Covers all 2 ranks of world." "$(under all Communicators)"
for rank in 0 1; do
  want_equal "rank $rank" "Covers all 2 ranks of world." "$(grep '^Covers ' "$TMP/all/summary/rank-$rank.md")"
done
want_equal "tables without such a line" "" "$(awk '/^## /{ title = $0 } /^\|---/{ tables[title] = 1 } /^Covers /{ delete tables[title] }
  END { for (title in tables) print title }' "$TMP/all/summary.md")"
grep -q 'Covers all 2 ranks of world\.' "$TMP/all/report.html" || fail "the page does not say it"

played alone all "$calls"/one_allreduce.0.txt.zst
want_equal "of one rank alone" \
  "Covers 1 of 2 ranks of world. Waits of 1 of 1 rank call are not known across all their ranks: not every rank's call is in the recording." \
  "$(under alone Operations)"
played without_steps Coll,CollApi,ProxyOp,KernelCh "$calls"/one_allreduce.*.txt.zst
want_equal "without network steps" "Covers all 2 ranks of world. No network steps were recorded on world (they were switched off), so \
what its links moved, and how fast, is not known." "$(under without_steps Communicators)"
want_equal "their kinds" "Coll ProxyOp KernelCh CollApi,1" "$(known without_steps kinds deep_kinds_of_one_in)"
played broadcast all "$calls"/one_broadcast.*.txt.zst
case "$(under broadcast Operations)" in
  *"The end of 2 of 2 rank calls is not known"*) ;;
  *) fail "a broadcast: $(under broadcast Operations)" ;;
esac
played old all "$calls"/mix_v4.*.txt.zst
want_equal "kinds that the fourth table does not have" \
  "GroupApi CollApi P2pApi KernelLaunch CeColl CeSync CeBatch KernelPhase" "$(known old kinds_not_offered | sort -u)"
printf '%s step 1\n' "$("$lockstep" report "$TMP/all" --force --json | jq '.origin_unix_ns / 1e9')" >"$TMP/train.log"
"$lockstep" report "$TMP/all" --force --logs "$TMP/train.log" >/dev/null
want_equal "under lines of a log" "Covers 1 of 1 line with a time in the run." "$(under all "Job logs")"
played sampled step:1/2 "$calls"/mix.*.txt.zst
grep -q 'Network steps were recorded of one operation in 2 only\.' "$TMP/sampled/summary.md" || fail "nothing says that steps are a sample"

recorded hang_ahead
want_equal "of five communicators" "Covers all ranks of 5 communicators." "$(under hang_ahead "Slower than expected\|Communicators" | head -1 | cut -d. -f1)."
recorded two_hosts
want_equal "of two hosts" "Covers all 2 ranks of world." "$(under two_hosts Channels)"

need_duckdb "$TMP/hang_ahead"
fields=(nranks recorded_ranks operations with_end with_kernels with_gpu_times with_network with_all_ranks with_one_clock)
for run in all alone broadcast hang_ahead two_hosts; do
  columns=$(IFS=,; echo "${fields[*]}")
  want_equal "what SQL counts of $run" \
    "$("$lockstep" query "$TMP/$run" --csv "SELECT $columns FROM capabilities ORDER BY communicator" | tail -n +2)" \
    "$(known "$run" "${fields[@]}")"
done
