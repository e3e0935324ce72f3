// The parts of the page that are tables and plots of the run, in the order in which they are read.
import * as clockPlots from "./clock_plots";
import { lead, make, section, table, words } from "./dom";
import type { Marked } from "./marked";
import * as plots from "./plots";
import type { Kind, Run, SaidTable } from "./run";
import { bytes, duration, plusMinus } from "./words";

// Of which ranks a table is, and what could not be known there.
function under(coverage: string): HTMLElement | null {
  return coverage ? make("p", { class: "facts" }, coverage) : null;
}

// A number that the plot of bandwidth by size has leads there.
function busBandwidth(kind: Kind, marked: Marked): Node | string {
  if (kind.busbw_gbs <= 0) return "-";
  const { func, nranks, size_bytes } = kind, text = kind.busbw_gbs.toPrecision(3);
  return marked.hasPoint(kind) ? lead("bandwidth", text, () => marked.leadToPoint({ func, nranks, size_bytes })) : text;
}

export function operations(run: Run, marked: Marked): HTMLElement {
  const rows = run.kinds.slice(0, 100).map(kind => [
    kind.func, bytes(kind.size_bytes), String(kind.nranks), kind.operations.toLocaleString("en"), kind.elapsed_ns > 0 ? duration(kind.elapsed_ns) : "-", duration(kind.wait_ns),
    kind.transfer_median_ns > 0 ? duration(kind.transfer_median_ns) : "-", busBandwidth(kind, marked)]);
  return section("operations", "Operations",
    make("ul", {}, ...run.answers.map(answer => make("li", {}, ...words(answer)))),
    ...(rows.length === 0 ? [] : [table(["function", "size", "ranks", "rank calls", "time", "waiting", "median transfer", "bus bandwidth, GB/s"], rows, "Operations by function and size"), make("p", { class: "legend" }, run.bandwidth_words)]),
    under(run.operations_coverage));
}

// What one rank sends to another leads to the square that shows it.
function rowsOf(said: SaidTable, marked: Marked): (string | Node)[][] {
  const [from, to, communicator] = ["from", "to", "communicator"].map(name => said.columns.indexOf(name));
  return said.rows.map(row => {
    const ranks = [from, to].map(column => /^rank (\d+),/.exec(row[column] ?? "")?.[1]);
    const pair = { communicator: row[communicator] ?? "", from: Number(ranks[0]), to: Number(ranks[1]) };
    return marked.hasPair(pair) ? [...row.slice(0, -1), lead("peers", row[row.length - 1], () => marked.leadToPair(pair))] : row;
  });
}

function said(run: Run, title: string, marked: Marked): HTMLElement | null {
  const found = run.tables.find(one => one.title === title);
  return found ? make("div", {}, make("h3", {}, found.title), found.words ? make("p", {}, ...words(found.words)) : null, table(found.columns, rowsOf(found, marked), found.title), under(found.coverage)) : null;
}

const kPathTables = ["Critical path", "What could be won", "Training steps"];

export function criticalPath(run: Run, marked: Marked): HTMLElement | null {
  const tables = kPathTables.map(title => said(run, title, marked)).filter((one): one is HTMLElement => one !== null);
  return tables.length === 0 ? null : section("critical-path", "What determines how long the run takes", plots.steps(run), ...tables);
}

export function otherTables(run: Run, marked: Marked): HTMLElement | null {
  const tables = run.tables.filter(one => !kPathTables.includes(one.title)).map(one => said(run, one.title, marked));
  return tables.length === 0 ? null : section("accounts", "More accounts", ...tables);
}

export function clock(run: Run): HTMLElement {
  return section("clock", "Clock", make("p", {}, ...words(plusMinus(run.times))), clockPlots.widths(run), clockPlots.drift(run));
}

export function ranksTable(run: Run): HTMLElement | null {
  if (run.ranks.length === 0) return null;
  const worst = [...run.ranks].sort((a, b) => b.caused_wait_ns - a.caused_wait_ns).slice(0, 20);
  return make("details", {}, make("summary", {}, `Ranks of ${run.communicator} that others waited for most`),
    table(["rank", "host", "operations", "clearly late in", "others waited for it", "waited itself"], worst.map(row => [
      String(row.rank), row.host, String(row.operations), String(row.late), duration(row.caused_wait_ns), duration(row.wait_ns)]), "Ranks"), under(run.ranks_coverage));
}
