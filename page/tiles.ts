// The heat map's numbers, decoded: layout in docs/viewer.md. Little endian, as every browser of today.

export interface Tiles {
  from_ns: number;
  to_ns: number;
  bucket_ns: number;
  columns: number;
  rows: { first: number; last: number; label?: string }[];  // label: of a host or a communicator
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
  const named = view.getUint32(40, true), behind = kHeader + rows * 8 + count * kCell;
  const labels = named === 0 ? [] : JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, behind, named))) as string[];
  const tiles: Tiles = {
    from_ns: at64(16), to_ns: at64(24), bucket_ns: at64(32), columns, rows: [],
    busy: new Float32Array(count), waiting: new Float32Array(count), caused: new Float32Array(count),
    flags: new Uint16Array(count), worst: new Uint32Array(count), longest_us: new Uint32Array(count),
  };
  for (let row = 0; row < rows; ++row) {
    const at = kHeader + row * 8;
    tiles.rows.push({ first: view.getUint32(at, true), last: view.getUint32(at + 4, true), label: labels[row] });
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

// Until when something of a rank is recorded, in this stretch of time; ranks of which that is not known by themselves, or that
// are recorded to its end, are left out.
export function heardUntil(tiles: Tiles): Map<number, number> {
  const until = new Map<number, number>();
  tiles.rows.forEach(({ first, last, label }, row) => {
    if (first !== last || label !== undefined) return;
    let column = tiles.columns;
    while (column > 0 && tiles.flags[row * tiles.columns + column - 1] & kNoData) --column;
    if (column < tiles.columns) until.set(first, tiles.from_ns + column * tiles.bucket_ns);
  });
  return until;
}

// The last bucket reaches beyond the run, which ends at `end_ns`. Shares of the part that does not: else what goes on to the end
// of a run, as a hang does, and all that goes on in one that is still recorded, looks as if it became less there.
export function upTo(tiles: Tiles, end_ns: number): Tiles {
  const column = tiles.columns - 1, part = (end_ns - tiles.from_ns) / tiles.bucket_ns - column;
  if (part <= 0 || part >= 1) return tiles;
  const ofPart = (values: Float32Array) => values.map((value, i) => i % tiles.columns === column ? Math.min(1, value / part) : value);
  return { ...tiles, busy: ofPart(tiles.busy), waiting: ofPart(tiles.waiting), caused: ofPart(tiles.caused) };
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
