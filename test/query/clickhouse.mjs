// Runs the lines of docs/schema.md for ClickHouse on an export, then nccl_trace of its views.sql and the examples of
// docs/query.md. usage: clickhouse.mjs TABLES SCHEMA.MD QUERY.MD; prints one JSON line for each statement.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const { Session } = createRequire(path.join(process.cwd(), 'package.json'))('chdb');
const [tables, schema, query] = process.argv.slice(2);
const session = new Session(path.join(process.cwd(), 'session'));
const answer = (what, sql) => console.log(JSON.stringify([what, String(session.query(sql, 'CSV')).trim()]));

const line = fs.readFileSync(schema, 'utf8').match(/CREATE VIEW operations AS SELECT .*FROM file.*/)[0];
for (const entry of fs.readdirSync(tables, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
  const sql = line.replace('VIEW operations', `VIEW ${entry.name}`).replace('tables/operations', `${tables}/${entry.name}`);
  answer('view', sql);
  answer(entry.name, `SELECT count(*) FROM ${entry.name}`);
}
answer('hosts', 'SELECT count(DISTINCT host) FROM operations');
const views = fs.readFileSync(path.join(tables, 'views.sql'), 'utf8').split('\n');
answer('view', views.find((text) => text.includes('VIEW nccl_trace')).replace(/;$/, ''));
const examples = fs.readFileSync(query, 'utf8').match(/```sql\n([^`]*)```/)[1].split(';');
for (const example of examples.map((text) => text.trim()).filter(Boolean)) answer('example', example);
