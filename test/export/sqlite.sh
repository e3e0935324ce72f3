#!/usr/bin/env bash
# The SQLite export read back by Python's sqlite3: the rows, columns, sums and view of the run's tables; whole or not there.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/export/record.sh"
lockstep=$BUILD/lockstep
need jq jq
need python3 python3
python3 -c 'import sqlite3' 2>/dev/null || skip "Python has no sqlite3 module"
record straggler "$TMP/run"
"$lockstep" export "$TMP/run" --to csv -o "$TMP/csv" --json >"$TMP/csv.json"
"$lockstep" export "$TMP/run" --to sqlite -o "$TMP/run.sqlite" --json >"$TMP/summary"
# ask SQL: its rows as JSON.
ask() {
  python3 -c 'import json, sqlite3, sys
print(json.dumps(sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True).execute(sys.argv[2]).fetchall(),
                 separators=(",", ":")))' "$TMP/run.sqlite" "$1"
}

want_equal "the file's own check" '[["ok"]]' "$(ask 'PRAGMA integrity_check')"
want_equal "rows in the summary" "$(jq -cS .written "$TMP/csv.json")" "$(jq -cS .written "$TMP/summary")"
tables=$(jq -r '.written | keys[]' "$TMP/csv.json" | sort)
counts=$(for table in $tables; do echo "UNION ALL SELECT '$table', count(*) FROM $table"; done | sed '1s/UNION ALL //')
want_equal "rows of every table" \
  "$(for table in $tables; do echo "$table $(($(wc -l <"$TMP/csv/$table.csv") - 1))"; done)" \
  "$(ask "$counts" | jq -r '.[] | "\(.[0]) \(.[1])"')"
want_equal "every table, and its columns" "$(for table in $tables; do echo "$table $(head -1 "$TMP/csv/$table.csv")"; done)" \
  "$(ask "SELECT m.name, group_concat(c.name) FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'
    GROUP BY m.name ORDER BY m.name" | jq -r '.[] | "\(.[0]) \(.[1])"')"
column() { head -1 "$TMP/csv/$1.csv" | tr , '\n' | grep -n "^$2\$" | cut -d: -f1; }
# Every value, as one sum of the three types that there are.
for of in "operations sent_bytes" "arrivals wait_ns" "arrivals busbw_gbs" "proxy_steps stop_ns"; do
  read -r table name <<<"$of"
  want_equal "sum of $table.$name" \
    "$(awk -F, -v c="$(column "$table" "$name")" 'NR > 1 { sum += $c } END { printf "%.6g", sum }' "$TMP/csv/$table.csv")" \
    "$(ask "SELECT printf('%.6g', sum($name)) FROM $table" | jq -r '.[0][0]')"
done
want_equal "what is not known" "[[$(awk -F, -v c="$(column operations replay)" 'NR > 1 && $c == ""' "$TMP/csv/operations.csv" | wc -l)]]" \
  "$(ask 'SELECT count(*) FROM operations WHERE replay IS NULL')"
want_equal "a hash by its bits" "$(awk -F, -v c="$(column communicators comm_id)" 'NR == 2 { print $c }' "$TMP/csv/communicators.csv")" \
  "$(python3 -c "print($(ask 'SELECT comm_id FROM communicators' | tr -d '[]') % 2**64)")"
want_equal "operations that the view tells, and whether they have all bytes that were sent" '[["AllReduce",1]]' \
  "$(ask "SELECT operation, sum(bytes_transferred) = (SELECT sum(size_bytes) FROM proxy_steps WHERE is_send)
    FROM nccl_trace GROUP BY operation")"

# The question of docs/export.md.
question=$(sed -n 's/^ *sqlite3 run.sqlite "\(.*\)"$/\1/p' "$ROOT/docs/export.md")
want_equal "operations in the answer to the question of docs/export.md" "[\"AllReduce\",$(started Coll)]" \
  "$(ask "$question" | jq -c '.[0][:2]')"

want_equal "an existing file" 3 "$(exit_code "$lockstep" export "$TMP/run" --to sqlite -o "$TMP/run.sqlite")"
sentence "an existing file" --force
want_equal "an existing file by force" 0 "$(exit_code "$lockstep" export "$TMP/run" --to sqlite -o "$TMP/run.sqlite" --force)"
want_equal "a compressed one" 3 "$(exit_code "$lockstep" export "$TMP/run" --to sqlite -o "$TMP/run.sqlite.gz")"
sentence "a compressed one" "leave out .gz"
want_equal "a folder that is not there" 3 "$(exit_code "$lockstep" export "$TMP/run" --to sqlite -o "$TMP/no/run.sqlite")"
sentence "a folder that is not there" "$TMP/no/run.sqlite"
if mkdir "$TMP/small" && mount -t tmpfs -o size=256k none "$TMP/small" 2>/dev/null; then
  want_equal "a full disk" 3 "$(exit_code "$lockstep" export "$TMP/run" --to sqlite -o "$TMP/small/run.sqlite")"
  sentence "a full disk" "$TMP/small/run.sqlite: database or disk is full"
  want_equal "what a full disk leaves" 0 "$(find "$TMP/small" -type f | wc -l)"
  umount "$TMP/small"
fi
