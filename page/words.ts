// How numbers are written, in the same form as the command writes them (analysis/say/words.h).

function threeDigits(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toFixed(digits);
}

export function duration(ns: number): string {
  const size = Math.abs(ns), sign = ns < 0 ? "-" : "";
  if (size < 1e3) return sign + Math.round(size) + " ns";
  if (size < 1e6) return sign + threeDigits(size / 1e3) + " us";
  if (size < 1e9) return sign + threeDigits(size / 1e6) + " ms";
  if (size < 120e9) return sign + threeDigits(size / 1e9) + " s";
  const minutes = Math.floor(size / 60e9);
  if (minutes < 60) return sign + minutes + " min " + Math.floor((size % 60e9) / 1e9) + " s";
  return sign + Math.floor(minutes / 60) + " h " + (minutes % 60) + " min";
}

const kUnits: [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];

// A time of the run, as exact as a window or an operation of this length needs it.
export function instant(ns: number, length: number): string {
  const exact = ns < 120e9 ? ns / 100 : ns < 3600e9 ? 1e9 : 60e9;  // of what duration() says
  if (exact <= length / 10) return duration(ns);
  const [unit, name] = kUnits.find(([one]) => one <= ns) ?? kUnits[3];
  return (ns / unit).toFixed(Math.max(0, 1 - Math.floor(Math.log10(length / unit)))) + " " + name;
}

export function bytes(count: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (count >= 1024 && unit < units.length - 1) {
    count /= 1024;
    ++unit;
  }
  return (Number.isInteger(count) ? String(count) : threeDigits(count)) + " " + units[unit];
}

// For a mark beside a plot, where 15,000,000,000 has no room: "15 G". Marks near each other may differ in their sixth digit.
export function compact(value: number): string {
  const units: [number, string][] = [[1e12, " T"], [1e9, " G"], [1e6, " M"], [1e3, " k"]];
  const [size, name] = units.find(([one]) => Math.abs(value) >= one) ?? [1, ""];
  return String(Number((value / size).toPrecision(6))) + name;
}

export function percent(share: number): string {
  return (share > 0 && share < 0.01 ? (100 * share).toFixed(1) : Math.round(100 * share)) + " %";
}

// "2026-11-25 15:04:05 UTC": the same for every reader of a report.
export function moment(unix_ns: number): string {
  return new Date(unix_ns / 1e6).toISOString().replace("T", " ").slice(0, 19) + " UTC";
}

// What the command writes as "+-3 us".
export function plusMinus(text: string): string {
  return text.replace(/\+- ?/g, "\u00b1");
}

export function counted(count: number, noun: string, several = noun + "s"): string {
  return count.toLocaleString("en") + " " + (count === 1 ? noun : several);
}

// A step of 1, 2 or 5 times a power of ten that puts at most `most` marks on `length`.
export function tickStep(length: number, most: number): number {
  const raw = length / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(Math.max(raw, 1e-9)));
  for (const times of [1, 2, 5, 10]) if (power * times >= raw) return power * times;
  return power * 10;
}

// The name of a mark at `ns`, as exact as marks every `step` need it, in the largest unit of an axis up to `to` that needs no more
// than three digits behind the point.
export function timeMark(ns: number, step: number, to: number): string {
  const digitsOf = (unit: number) => Math.max(0, -Math.floor(Math.log10(step / unit)));
  const [unit, name] = kUnits.find(([one]) => one <= to && digitsOf(one) <= 3) ?? kUnits[3];
  return (ns / unit).toFixed(digitsOf(unit)) + " " + name;
}
