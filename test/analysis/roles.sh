#!/usr/bin/env bash
# Roles of communicators. Simulated jobs of all kinds of parallelism, recorded without names: what is guessed from members and calls is
# what the layout says (its formula is Megatron's: tensor ranks next to each other, then data ranks, then stages). With names, and in
# runs of real NCCL, the name decides; classes add up to the operations.
. "$(dirname "$0")/../lib.sh"
need jq jq
simulate() { "$BUILD/lockstep-simulate" "$TMP/$1" --seed 3 --steps 3 "${@:2}" >"$TMP/out"; }
ask() { "$BUILD/lockstep" query "$TMP/$1" --csv "$2" | tail -n +2; }
# Role and member ranks of each communicator, of the layout and of the tables.
expected() { # expected RUN
  jq -r '. as $t | .ranks as $n | .tp as $tp | .pp as $pp | .dp as $dp | .ep as $ep |
    def line($role; $ranks): if ($ranks | length) < 2 then empty else "\($role) \($ranks | map(tostring) | join(" "))" end;
    line("world"; [range($n)]),
    (range(0; $n; $tp) as $f | line("tensor"; [range($f; $f + $tp)])),
    (range($tp * $dp) as $f | line("pipeline"; [range($f; $n; $tp * $dp)])),
    (range($pp) as $s | range($tp) as $i | ($s * $tp * $dp + $i) as $f | line("data"; [range($dp) | $f + . * $tp]),
      (if $ep > 1 then range(0; $dp; $ep) as $d | line("expert"; [range($d; $d + $ep) | $f + . * $tp]) else empty end))' \
    "$TMP/$1/truth.json" | sort
}
guessed() {
  ask "$1" "SELECT coalesce(role, '?') || ' ' || string_agg(CAST(p.rank AS VARCHAR), ' ' ORDER BY p.rank) FROM communicators c
    JOIN members m USING (communicator) JOIN processes p ON p.process = m.process GROUP BY c.communicator, role" | sort
}
first=
while read -r name options; do
  # shellcheck disable=SC2086
  simulate "$name" --unnamed $options
  [ -n "$first" ] || { need_duckdb "$TMP/$name"; first=$name; }
  want_equal "roles of $name" "$(expected "$name")" "$(guessed "$name")"
  want_equal "roles without a reason" 0 "$(ask "$name" "SELECT count(*) FROM communicators WHERE role IS NOT NULL AND role_reason IS NULL")"
done <<'END'
ddp --ranks 8 --schedule ddp
hosts --ranks 16 --gpus-per-host 4 --schedule zero
owner --ranks 4 --schedule group
tp-dp --ranks 16 --schedule tp-dp --tp 4
two --ranks 8 --schedule tp-dp
stages --ranks 8 --schedule 1f1b --pp 4
pairs --ranks 2 --schedule gpipe --pp 2
all-forward --ranks 8 --schedule gpipe --pp 2
chunks --ranks 8 --schedule interleaved --pp 2
no-data --ranks 8 --schedule 1f1b --pp 2 --tp 4
three --ranks 16 --schedule 1f1b --pp 2 --tp 2 --gpus-per-host 8
experts --ranks 8 --schedule moe --ep 2
many-experts --ranks 16 --schedule moe --ep 4 --gpus-per-host 8
END
simulate named --schedule tp-dp --ranks 8
want_equal "roles by name" "data,dp,its name tensor,tp,its name" \
  "$(ask named "SELECT DISTINCT role, name, role_reason FROM communicators WHERE name <> 'world' ORDER BY 1" | xargs)"
want_equal "reach of 16 ranks on two hosts" "pipeline,between,8 tensor,inside,8" \
  "$(ask three "SELECT role, reach, count(*) FROM communicators WHERE role IN ('pipeline', 'tensor') GROUP BY 1, 2 ORDER BY 1" | xargs)"

# The report's classes hold each operation once, and each names one that is explained.
"$BUILD/lockstep" report "$TMP/three" >/dev/null
want_equal "operations and bytes in classes.csv" "$(ask three "SELECT count(*), sum(size_bytes) FROM ops")" \
  "$(awk -F, 'NR > 1 { operations += $7; bytes += $8 } END { printf "%d,%.0f\n", operations, bytes }' "$TMP/three/classes.csv")"
want_equal "classes of pipelines" "$(ask three "SELECT count(*), sum(size_bytes) FROM ops WHERE role = 'pipeline' AND func = 'Send' AND size_class = 'up to 16 MiB'")" \
  "$(awk -F, '$1 == "pipeline" && $3 == "Send"' "$TMP/three/classes.csv" | cut -d, -f7-8)"
while read -r name; do
  "$BUILD/lockstep" explain "$TMP/three" "$name" >"$TMP/out" || fail "$name of classes.csv is not explained"
done < <(tail -n +2 "$TMP/three/classes.csv" | sed 's/.*,//')
grep -q '^class,1,' "$TMP/three/top.csv" || fail "no classes in top.csv"
