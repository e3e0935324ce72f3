// How exact the clock is: each host's guaranteed half width, and how its clock went away from the run's, with that band.
import type uPlot from "uplot";
import { make } from "./dom";
import { aligned, names, plot } from "./plots";
import type { Run } from "./run";
import { duration } from "./words";

type Point = Run["clock"]["points"][number];
const kMostWidths = 12, kMostDrifts = 6;

interface Host {
  name: string;
  points: Point[];
}

// Those whose clocks are known worst; several points each, else there is no line.
function worstHosts(run: Run, most: number): Host[] {
  const width = (host: Host) => Math.max(...host.points.map(point => point[2]));
  return run.clock.hosts.map((name, i) => ({ name, points: run.clock.points.filter(point => point[0] === i) }))
    .filter(host => host.points.length > 1).sort((a, b) => width(b) - width(a)).slice(0, most);
}

function under(words: string, shown: Host[], run: Run, drawn: HTMLElement): HTMLElement {
  const all = run.clock.hosts.length;
  return make("div", {}, make("p", {}, words + (shown.length < all ? ` Of ${all} hosts the ${shown.length} that are known worst.` : "")), drawn);
}

export function widths(run: Run): HTMLElement | null {
  const shown = worstHosts(run, kMostWidths);
  if (run.clock.hosts.length < 2 || shown.length === 0) return null;
  const { names: hosts, columns } = aligned(shown.flatMap(({ name, points }) => points.map(([, s, us]): [string, number, number] => [name, s, us])));
  const colours = names(shown.length);
  const series = hosts.map((label, i) => ({ label, stroke: colours[i], width: 1.5, spanGaps: true, points: { show: false },
    value: (_: uPlot, value: number | null) => value === null ? "" : "\u00b1" + duration(value * 1e3) }));
  return under("How far a host\u2019s time can be from the run\u2019s clock, guaranteed. Times of two hosts compare within the sum of theirs.", shown, run,
    plot("Clock error of each host, guaranteed half width", columns, series, { x: "seconds of the run", y: "\u00b1 us", height: 220 }, "clock-plot"));
}

export function drift(run: Run): HTMLElement | null {
  const shown = worstHosts(run, kMostDrifts);
  if (run.clock.hosts.length < 2 || shown.length === 0) return null;
  const colours = names(shown.length);
  const { columns } = aligned(shown.flatMap(({ name, points }) => points.flatMap(([, s, band, offset]): [string, number, number][] =>
    [[name, s, offset], [name + " up to", s, offset + band], [name + " from", s, offset - band]])));
  const series = shown.flatMap(({ name, points }, i) => {
    const last = points[points.length - 1];
    const ppm = (last[3] - points[0][3]) / Math.max(1e-9, last[1] - points[0][1]);  // us a second
    const edge = { label: "", class: "edge", stroke: colours[i] + "60", width: 1, spanGaps: true, points: { show: false } };
    return [{ label: `${name}, ${ppm.toFixed(3)} ppm`, stroke: colours[i], width: 1.5, spanGaps: true, points: { show: false },
      value: (_: uPlot, us: number | null) => us === null ? "" : duration(us * 1e3) }, edge, edge];
  });
  const bands = shown.map((_, i) => ({ series: [3 * i + 2, 3 * i + 3] as [number, number], fill: colours[i] + "30" }));
  return under("How far each host\u2019s clock has drifted from the run\u2019s since its first point, and the band in which that is guaranteed to lie.", shown, run,
    plot("Offset of each host's clock since its first point, with its guaranteed band", columns, series, { x: "seconds of the run", y: "us", height: 220, bands }, "drift-plot"));
}
