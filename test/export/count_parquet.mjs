// Counts the rows of every table of a Parquet export with hyparquet, a reader that shares nothing with the writer, and
// prints the types of the columns: {"rows": {table: n}, "types": {table: {column: type}}, "bytes_sent": n}.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

const root = process.argv[2]
const files = (folder) => readdirSync(folder).flatMap((name) => {
  const path = join(folder, name)
  return statSync(path).isDirectory() ? files(path) : path.endsWith('.parquet') ? [path] : []
})
const result = { rows: {}, types: {}, hosts: [], bytes_sent: 0 }
for (const table of readdirSync(root).filter((name) => statSync(join(root, name)).isDirectory())) {
  result.rows[table] = 0
  for (const path of files(join(root, table))) {
    const bytes = readFileSync(path)
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
    const metadata = parquetMetadata(file)
    result.rows[table] += Number(metadata.num_rows)
    result.types[table] = Object.fromEntries(metadata.schema.slice(1).map((column) =>
      [column.name, column.converted_type ?? column.type]))
    const host = path.match(/host=([^/]*)/)
    if (host && !result.hosts.includes(host[1])) result.hosts.push(host[1])
    const rows = await parquetReadObjects({ file, compressors })
    if (rows.length !== Number(metadata.num_rows)) throw new Error(`${path}: ${rows.length} rows, not ${metadata.num_rows}`)
    if (table === 'operations') for (const row of rows) result.bytes_sent += Number(row.sent_bytes)
  }
}
console.log(JSON.stringify(result))
