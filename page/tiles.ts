// The heat map's numbers, decoded: layout in docs/viewer.md. Little endian, as every browser of today.

export interface Tiles {
  from_ns: number;
  to_ns: number;
  bucket_ns: number;
  columns: number;
  rows: { first: number; last: number; label?: string }[];
  // By row, then column; shares of 1.
  busy: Float32Array;
  waiting: Float32Array;
  caused: Float32Array;
  flags: Uint16Array;
  worst: Uint32Array;
  longest_us: Uint32Array;
}
export const kNoData = 1, kLost = 2, kPartly = 4;
export const kNobody = 0xffffffff;
const kHeader = 64, kCell = 16;

export function decodeTiles(buffer: ArrayBuffer): Tiles {
  const view = new DataView(buffer);
  const magic = String.fromCharCode(...new Uint8Array(buffer, 0, 8));
  if (magic !== "LKTILES1") throw new Error("The tiles begin with " + magic + ", not with LKTILES1.");
  const rows = view.getUint32(8, true), columns = view.getUint32(12, true);
  const at64 = (at: number) => Number(view.getBigInt64(at, true));
  const count = rows * columns;
  if (buffer.byteLength < kHeader + rows * 8 + count * kCell) throw new Error("The tiles are cut off.");
  const tiles: Tiles = {
    from_ns: at64(16), to_ns: at64(24), bucket_ns: at64(32), columns, rows: [],
    busy: new Float32Array(count), waiting: new Float32Array(count), caused: new Float32Array(count),
    flags: new Uint16Array(count), worst: new Uint32Array(count), longest_us: new Uint32Array(count),
  };
  for (let row = 0; row < rows; ++row) {
    const at = kHeader + row * 8;
    tiles.rows.push({ first: view.getUint32(at, true), last: view.getUint32(at + 4, true) });
  }
  for (let i = 0; i < count; ++i) {
    const at = kHeader + rows * 8 + i * kCell;
    tiles.busy[i] = view.getUint16(at, true) / 65535;
    tiles.waiting[i] = view.getUint16(at + 2, true) / 65535;
    tiles.caused[i] = view.getUint16(at + 4, true) / 65535;
    tiles.flags[i] = view.getUint16(at + 6, true);
    tiles.worst[i] = view.getUint32(at + 8, true);
    tiles.longest_us[i] = view.getUint32(at + 12, true);
  }
  return tiles;
}

// Rows joined by what `label` says of their first rank: means of busy and waiting, the largest of the rest.
export function grouped(tiles: Tiles, label: (rank: number) => string): Tiles {
  const members = new Map<string, number[]>();
  tiles.rows.forEach((row, i) => {
    const name = label(row.first);
    members.set(name, [...(members.get(name) ?? []), i]);
  });
  const count = members.size * tiles.columns;
  const out: Tiles = {
    ...tiles, rows: [],
    busy: new Float32Array(count), waiting: new Float32Array(count), caused: new Float32Array(count),
    flags: new Uint16Array(count), worst: new Uint32Array(count).fill(kNobody), longest_us: new Uint32Array(count),
  };
  for (const [name, rows] of members) {
    const start = out.rows.length * tiles.columns;
    out.rows.push({ first: tiles.rows[rows[0]].first, last: tiles.rows[rows[rows.length - 1]].last, label: name });
    for (let column = 0; column < tiles.columns; ++column) {
      let known = 0;
      for (const row of rows) {
        const from = row * tiles.columns + column, to = start + column;
        if (!(tiles.flags[from] & kNoData)) ++known;
        out.flags[to] |= tiles.flags[from] & ~kNoData;
        out.busy[to] += tiles.busy[from] / rows.length;
        out.waiting[to] += tiles.waiting[from] / rows.length;
        out.longest_us[to] = Math.max(out.longest_us[to], tiles.longest_us[from]);
        if (tiles.caused[from] > out.caused[to]) {
          out.caused[to] = tiles.caused[from];
          out.worst[to] = tiles.worst[from];
        }
      }
      if (known === 0) out.flags[start + column] |= kNoData;
      else if (known < rows.length) out.flags[start + column] |= kPartly;
    }
  }
  return out;
}

// Mean over the rows of each column: how the run went. Null where nothing is recorded.
export function meanByColumn(tiles: Tiles, values: Float32Array): (number | null)[] {
  const means: (number | null)[] = [];
  for (let column = 0; column < tiles.columns; ++column) {
    let sum = 0, known = 0;
    for (let row = 0; row < tiles.rows.length; ++row) {
      const at = row * tiles.columns + column;
      if (tiles.flags[at] & kNoData) continue;
      sum += values[at];
      ++known;
    }
    means.push(known === 0 ? null : sum / known);
  }
  return means;
}
