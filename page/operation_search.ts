// Finds an operation by its name, "AllReduce #7": each communicator counts its own, so there may be several.
import { readyOf, type Run } from "./run";
import type { Source } from "./source";
import type { View } from "./view";

export interface Found {
  name: string;  // "AllReduce #7"
  communicator: string;
  ranks: number[];  // that are in it; none: not known
  from: number;  // a little before it began, in run time
  to: number;
}

function around(name: string, communicator: string, ranks: number[], from: number, to: number): Found {
  const space = Math.max(1000, (to - from) * 0.4);
  return { name, communicator, ranks, from: from - space, to: to + space };
}

export function viewOf(found: Found): Partial<View> {
  const { from, to, ranks } = found;
  return { from, to, ...(ranks.length === 0 ? {} : { firstRank: Math.min(...ranks), lastRank: Math.max(...ranks) }) };
}

// A communicator is called by its name, by its id, or by both where others have that name: "dp (0x1f)".
function isCalled(communicator: string, asked: string): boolean {
  const [name, id] = communicator.split(" (");
  return [communicator, name, id?.replace(")", "")].some(one => one?.toLowerCase() === asked.toLowerCase());
}

async function ofServer(func: string, ordinal: number, run: Run, source: Source): Promise<Found[]> {
  const known = run.kinds.find(kind => kind.func.toLowerCase() === func.toLowerCase());
  if (!known || !/^[A-Za-z]+$/.test(known.func)) return [];
  // From the first arrival: calls may be made long before.
  const answer = await source.query("WITH began AS (SELECT min(first_ns) AS ns FROM processes), " +
    `found AS (SELECT match, communicator, start_ns, finish_ns FROM matches WHERE func = '${known.func}' AND ordinal = ${ordinal} AND start_ns IS NOT NULL), ` +
    "arrived AS (SELECT match, min(arrival_ns) AS first_ns FROM arrivals WHERE match IN (SELECT match FROM found) GROUP BY match) " +
    "SELECT name, '0x' || lower(to_hex(comm_id)), count(*) OVER (PARTITION BY name), coalesce(arrived.first_ns, start_ns) - ns, " +
    "coalesce(finish_ns, arrived.first_ns, start_ns) - ns FROM found JOIN communicators USING (communicator) LEFT JOIN arrived USING (match) CROSS JOIN began ORDER BY 4");
  const offset = run.serve?.report_from_ns ?? 0;
  return answer.rows.map(([name, id, alike, from, to]) => {
    const communicator = name === "" || name === null ? String(id) : Number(alike) > 1 ? `${name} (${id})` : String(name);
    const ranks = run.serve?.ranks.filter(one => one.communicators.some(label => isCalled(label, communicator) || isCalled(label, String(id)))) ?? [];
    return around(`${known.func} #${ordinal}`, communicator, ranks.map(one => one.rank), Number(from) + offset, Number(to) + offset);
  });
}

async function ofFile(func: string, ordinal: number, run: Run, source: Source, whole: View): Promise<Found[]> {
  const { ops } = await source.ops(whole, run.places.map(place => place[0]), null);
  const seen = ops.filter(op => op.func.toLowerCase() === func.toLowerCase() && op.ordinal === ordinal);
  return [...new Set(seen.map(op => op.comm))].map(communicator => {
    const those = seen.filter(op => op.comm === communicator);
    const members = [...new Set(ops.filter(op => op.comm === communicator).map(op => op.rank))];
    return around(`${those[0].func} #${ordinal}`, communicator, members, Math.min(...those.map(readyOf)),
      Math.max(...those.map(op => op.end_ns ?? readyOf(op) + (op.wait_ns ?? 0))));
  }).sort((a, b) => a.from - b.from);
}

// In the order of time; `communicator`: on which, empty: on any.
export async function operationsNamed(func: string, ordinal: number, communicator: string, run: Run, source: Source, whole: View): Promise<Found[]> {
  const found = source.served ? await ofServer(func, ordinal, run, source) : await ofFile(func, ordinal, run, source, whole);
  return communicator === "" ? found : found.filter(one => isCalled(one.communicator, communicator));
}
