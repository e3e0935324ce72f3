// What the performance exporter of NVIDIA's Inspector does with a folder of its lines, in DuckDB: every file becomes a
// table file (row = header, kind of communicator, coll_perf and metadata), all are read together, and a collective is
// (id, coll_sn, size), its bus bandwidth the mean over ranks. Prints {"files", "types": how many sets of column types
// the files have, "rows", "means": {"collective size": {"n", "busbw"}}}.
//   node exporter_sql.mjs FOLDER-OF-LOGS SCRATCH BINDINGS
import { createRequire } from 'node:module'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const [logs, scratch, bindings] = process.argv.slice(2)
const duckdb = createRequire(import.meta.url)(bindings)
const connection = await duckdb.connect(await duckdb.open(':memory:'))
let results = 0
// The bindings hand out raw vectors; a file of JSON lines is simpler to read.
const rows = async (sql) => {
  const file = join(scratch, `result${results++}.json`)
  await duckdb.query(connection, `COPY (${sql}) TO '${file}' (FORMAT json)`)
  return readFileSync(file, 'utf8').split('\n').filter((line) => line).map((line) => JSON.parse(line))
}

const tables = join(scratch, 'parquet_files')
mkdirSync(tables, { recursive: true })
const names = readdirSync(logs).filter((name) => name.endsWith('.log'))
const types = new Set()
for (const name of names) {
  const table = join(tables, `${basename(name, '.log')}.parquet`)
  await duckdb.query(connection, `COPY (
    SELECT header.*,
           CASE WHEN header.n_ranks = 1 THEN 'single-rank' WHEN header.nnodes = 1 THEN 'nvlink-only'
                WHEN header.n_ranks = header.nnodes THEN 'hca-only' ELSE 'mixed' END AS comm_type,
           coll_perf.*, metadata.*
    FROM read_json('${join(logs, name)}', format = 'newline_delimited') WHERE coll_perf IS NOT NULL
  ) TO '${table}' (FORMAT parquet)`)
  const columns = await rows(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '${table}')`)
  types.add(columns.map((column) => `${column.column_name} ${column.column_type}`).join(', '))
}

const all = `read_parquet('${tables}/*.parquet')`
const [{ n }] = await rows(`SELECT count(*) AS n FROM ${all}`)
const means = {}
for (const coll of ['AllReduce', 'AllGather', 'ReduceScatter', 'Broadcast']) {
  const found = await rows(`
    WITH one AS (
      SELECT id, coll_sn, coll_msg_size_bytes, n_ranks, nnodes, count(*) AS ranks, avg(coll_busbw_gbs) AS busbw,
             min(dump_timestamp_us) AS first_us
      FROM ${all} WHERE coll = '${coll}' GROUP BY id, coll_sn, coll_msg_size_bytes, n_ranks, nnodes)
    SELECT coll_msg_size_bytes AS size, count(*) AS n, avg(busbw) AS busbw, min(ranks) AS fewest, max(ranks) AS most
    FROM one GROUP BY ALL`)
  for (const row of found) means[`${coll} ${row.size}`] = row
}
console.log(JSON.stringify({ files: names.length, types: [...types], rows: Number(n), means }))
process.exit(0)
