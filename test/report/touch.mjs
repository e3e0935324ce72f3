// The page under fingers, in Chromium as a phone has it: node touch.mjs URL, a page of lanes.sh. Says what is wrong, one line
// each, and ends with 1 if anything is.
import { check, launch, wrong } from "./browser.mjs";

const kLane = 16, kGutter = 68;  // pixels: heat.ts, and time_axis.ts where the screen is narrow
const browser = await launch();
const context = await browser.newContext({ viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
const page = await context.newPage();
await page.goto(process.argv[2]);
await page.waitForFunction(() => document.querySelector(".heat .legend")?.textContent, undefined, { timeout: 30000 });
const text = selector => page.evaluate(name => document.querySelector(name)?.textContent ?? "", selector);
const run = JSON.parse(await text("#lockstep-data"));
const spans = name => run.lanes.find(lane => lane.name === name).spans;
const session = await context.newCDPSession(page);
const touch = (type, ...points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
// A finger from one place to another, as the browser's own gestures see it.
const swipe = async (from, to) => {
  await touch("touchStart", from);
  for (let i = 1; i <= 8; ++i) {
    await touch("touchMove", [from[0] + (to[0] - from[0]) * i / 8, from[1] + (to[1] - from[1]) * i / 8]);
    await page.waitForTimeout(16);
  }
  await touch("touchEnd");
  await page.waitForTimeout(300);
};
const scrolled = () => page.evaluate(() => Math.round(scrollY));
// What a finger has set in motion goes on for some frames.
async function settled() {
  for (let last = NaN, now = await scrolled(); ; last = now, now = await scrolled()) {
    if (now === last) return now;
    await page.waitForTimeout(200);
  }
}
// The heat map in the middle of the screen, and where on it a time and a row are.
const place = async () => {
  await page.evaluate(() => document.querySelector("#heat").scrollIntoView({ block: "center" }));
  await page.waitForTimeout(100);
  const box = await page.locator("#heat").boundingBox();
  return { box, x: ns => box.x + kGutter + ns / run.length_ns * (box.width - 4 - kGutter), ranks: box.y + box.height - 22 - 26 };
};
const all = /: all of it\.$/;

let { box, x, ranks } = await place();
const [capture] = spans("captures");
const lane = run.lanes.findIndex(one => one.name === "captures");
await page.touchscreen.tap(x((capture[0] + capture[1]) / 2), box.y + (lane + 0.5) * kLane);
check("a tap on a capture does not say what it is", /^captures: program-1, /.test(await text(".heat .readout")), await text(".heat .readout"));
check("a tap on a lane zooms", all.test(await text("#window")), await text("#window"));

// Down the screen: the page moves, the window stays.
const before = await scrolled();
await swipe([x(run.length_ns / 2), ranks], [x(run.length_ns / 2), ranks - 200]);
check("a finger that goes up the heat map does not scroll", await scrolled() > before + 50, `${before} to ${await scrolled()}`);
check("a finger that scrolls zooms, too", all.test(await text("#window")), await text("#window"));

// Along time: the window becomes what it covered, the page stays.
await settled();
({ box, x, ranks } = await place());
const from = spans("steps")[5][0], to = spans("steps")[12][1], stood = await settled();
await swipe([x(from), ranks], [x(to), ranks]);
const shown = () => page.evaluate(() => (/t=(\d+)-(\d+)/.exec(location.hash) ?? []).slice(1).map(Number));
const near = (a, b) => Math.abs(a - b) < 0.01 * run.length_ns;
let [begin, end] = await shown();
check("a finger along time does not zoom to what it covered", near(begin, from) && near(end, to), JSON.stringify([begin, end, from, to]));
check("a finger along time scrolls", await scrolled() === stood, `${stood} to ${await scrolled()}`);

// A tap on rank 0: closer, around it.
await page.click('button[aria-label="Show all of the run"]');
({ box, x, ranks } = await place());
await page.touchscreen.tap(x(to), ranks - 26);  // the row above
await page.waitForTimeout(300);
[begin, end] = await shown();
check("a tap on a rank does not zoom to it", near((begin + end) / 2, to) && end - begin < run.length_ns / 4, JSON.stringify([begin, end, to]));
check("a tap on a rank does not say what it did", /^Rank 0, \d+(\.\d+)? ms to /.test(await text(".heat .readout")), await text(".heat .readout"));
await context.close();
await browser.close();
process.exit(wrong);
