// Lanes of marks and captures in Chromium: node lanes.mjs URL, a page of lanes.sh. Says what is wrong, one line each, and ends
// with 1 if anything is.
import { check, launch, open, wrong } from "./browser.mjs";

const kLane = 16, kGutter = 84;  // pixels: heat.ts, time_axis.ts
const browser = await launch();
const { page, problems, close } = await open(browser, process.argv[2]);
const text = selector => page.evaluate(name => document.querySelector(name)?.textContent ?? "", selector);
const run = JSON.parse(await text("#lockstep-data"));
const named = name => run.lanes.find(lane => lane.name === name) ?? { spans: [] };

// The program's 20 steps, what it does in them, what it said once for each rank, and the capture of steps 5 to 9.
check("kinds of lanes", run.lanes.map(lane => lane.kind).join(" ") === "steps ranges ranges ranges ranges moments captures", run.lanes.map(lane => lane.kind).join(" "));
check("names of ranges", run.lanes.filter(lane => lane.kind === "ranges").map(lane => lane.name).sort().join("|") === "exchange|optimizer|outside|thread 1",
  run.lanes.map(lane => lane.name).join("|"));
const steps = named("steps").spans.map(span => span[2]);
check("steps", steps.length === 21 && steps.every((step, i) => step === (i < 20 ? `step ${i}` : "step 4711")), steps.join("|"));
check("marks", named("marks").spans.length > 0 && named("marks").spans.every(([from, to, what]) => from === to && what === "here"), JSON.stringify(named("marks")));
const [capture] = named("captures").spans, step = number => named("steps").spans[number];
check("captures", named("captures").spans.length === 1 && capture[2] === "program-1", JSON.stringify(named("captures")));
check("the capture is not of steps 5 to 9", capture[0] >= step(4)[0] && capture[0] <= step(5)[1] && capture[1] >= step(9)[0] && capture[1] <= step(10)[1],
  JSON.stringify([capture, step(5), step(9)]));

// Where a time of the window in view is on the canvas.
let view = [0, run.length_ns];
const width = await page.evaluate(() => document.querySelector("#heat").clientWidth);
const x = ns => kGutter + (ns - view[0]) / (view[1] - view[0]) * (width - 4 - kGutter);
const y = name => (run.lanes.findIndex(lane => lane.name === name) + 0.5) * kLane;
// The colour there by its name, of those that lanes have; empty: nothing is drawn.
const colourAt = (name, ns) => page.evaluate(([left, top]) => {
  const canvas = document.querySelector("#heat");
  const [r, g, b, a] = canvas.getContext("2d").getImageData(Math.ceil(left), Math.round(top), 1, 1).data;  // all of it covered by what begins there
  if (a === 0) return "";
  const probe = document.createElement("span");
  document.body.append(probe);
  const found = ["lane-even", "lane-odd", "series-4", "series-6", "series-2", "series-3", "bad"].find(one => {
    probe.style.color = `var(--${one})`;
    const [red, green, blue] = getComputedStyle(probe).color.match(/\d+/g).map(Number);
    return Math.abs(red - r) + Math.abs(green - g) + Math.abs(blue - b) < 10;
  });
  probe.remove();
  return found ?? `rgb(${r}, ${g}, ${b})`;
}, [x(ns), y(name)]);
const middle = ([from, to]) => (from + to) / 2;
const said = async (name, ns) => {
  await page.hover("#heat", { position: { x: x(ns), y: y(name) } });
  return text(".heat .readout");
};

check("a step's colour", await colourAt("steps", middle(step(6))) === "lane-even", await colourAt("steps", middle(step(6))));
check("the next step's colour", await colourAt("steps", middle(step(7))) === "lane-odd", await colourAt("steps", middle(step(7))));
check("the capture's colour", await colourAt("captures", middle(capture)) === "series-6", await colourAt("captures", middle(capture)));
check("a capture is drawn where there was none", await colourAt("captures", middle(step(15))) === "", await colourAt("captures", middle(step(15))));
const [mark] = named("marks").spans;
check("a mark's colour", await colourAt("marks", mark[0]) === "series-4", await colourAt("marks", mark[0]));
check("a mark is drawn where there was none", await colourAt("marks", middle(step(3))) === "", await colourAt("marks", middle(step(3))));
check("a range is drawn outside of steps", await colourAt("outside", middle(step(3))) === "", await colourAt("outside", middle(step(3))));

check("what a step says", /^steps: step 6, \d+ ms to \d+ ms\.$/.test(await said("steps", middle(step(6)))), await said("steps", middle(step(6))));
check("what the capture says", /^captures: program-1, \d+ ms to \d+ ms\.$/.test(await said("captures", middle(capture))), await said("captures", middle(capture)));
check("what a mark says", /^marks: here, \d+ ms(, the last of \d here)?\.$/.test(await said("marks", mark[0])), await said("marks", mark[0]));
const before = await said("captures", middle(capture));
check("a lane says something where it has nothing", await said("captures", middle(step(15))) === before, await text(".heat .readout"));

// Closer, around one step: it fills what the capture does, and what is not in view is not drawn.
view = [Math.round(step(7)[0]), Math.round(step(7)[1])];
await page.evaluate(([from, to]) => location.hash = `t=${from}-${to}`, view);
await page.waitForFunction(() => !/: all of it\.$/.test(document.querySelector("#window").textContent), undefined, { timeout: 5000 }).catch(() => check("a link does nothing", false));
await page.waitForTimeout(200);
for (const share of [0.05, 0.5, 0.95]) {
  const ns = view[0] + share * (view[1] - view[0]);
  check(`closer, at ${share} of step 7: the capture's colour`, await colourAt("captures", ns) === "series-6", await colourAt("captures", ns));
  check(`closer, at ${share} of step 7: the step's colour`, await colourAt("steps", ns) === "lane-odd", await colourAt("steps", ns));
  check(`closer: a mark of later at ${share}`, await colourAt("marks", ns) === "", await colourAt("marks", ns));
}
check("closer: what the step says", /^steps: step 7, /.test(await said("steps", middle(step(7)))), await said("steps", middle(step(7))));

const others = problems.filter(one => !/Canvas2D/.test(one));
check("console, or requests", others.length === 0, others.join("; "));
await close();
await browser.close();
process.exit(wrong);
