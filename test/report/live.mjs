// The page of a job that runs, in Chromium: node live.mjs URL PID..., the banner's URL and the job's processes, which it ends
// at last. Says what is wrong, one line each, and ends with 1 if anything is.
import { check, launch, open, seriousViolations, wrong } from "./browser.mjs";

const [url, ...pids] = process.argv.slice(2);
const browser = await launch();
const { page, problems, close } = await open(browser, url);
const text = selector => page.evaluate(name => document.querySelector(name)?.textContent ?? "", selector);
const until = (what, test, argument) => page.waitForFunction(test, argument, { timeout: 60000 }).catch(() => check(what, false));
const facts = () => text(".facts");
const grows = async what => {
  const before = await facts();
  await until(what, old => document.querySelector(".facts").textContent !== old, before);
};

await until("it does not say that it is live", () => /^Live: what was recorded until .*ago\.$/.test(document.querySelector("#live span").textContent));
await grows("the run does not grow");
const operations = async () => Number(/([\d,]+) operations? in/.exec(await facts())[1].replaceAll(",", ""));
const few = await operations();
await grows("it grows no further");
check("operations do not become more", await operations() > few, await facts());
check("all of the run is not shown", /: all of it\.$/.test(await text("#window")), await text("#window"));
check("the button does not say that it follows", await text("#follow") === "Stop following", await text("#follow"));

// A reader who looks closer stays there, and what he has open stays open.
await page.fill("#search", "rank 1");
await page.evaluate(() => document.querySelector("#ranks details summary")?.click());
await page.focus("#heat");
await page.keyboard.press("+");
await until("zooming does not stop it", () => document.querySelector("#follow").textContent === "Follow (f)");
const window = await text("#window");
await grows("it does not go on beneath a closer look");
await grows("it does not go on beneath a closer look");
check("the window moved away from its reader", await text("#window") === window, await text("#window"));
check("the field was emptied", await page.inputValue("#search") === "rank 1");
check("what was open is closed", await page.evaluate(() => document.querySelector("#ranks details").open));
check("the keyboard is elsewhere", await page.evaluate(() => document.activeElement.id) === "heat");

// A window of the same length at the run's end, which goes along.
const range = () => page.evaluate(() => /t=(\d+)-(\d+)/.exec(location.hash).slice(1).map(Number));
const length = ([from, to]) => to - from;
const before = await range();
await page.keyboard.press("f");
await until("f does not follow", () => document.querySelector("#follow").textContent === "Stop following");
const after = await range();
check("following changes how much is shown", Math.abs(length(after) - length(before)) <= 2, [before, after]);
check("following does not show the end", after[1] > before[1], [before, after]);
const moving = await text("#window");
await until("the window does not go along", old => document.querySelector("#window").textContent !== old, moving);
await page.click("#follow");
await until("the button does not stop it", () => document.querySelector("#follow").textContent === "Follow (f)");
for (const violation of await seriousViolations(page)) check("accessibility", false, violation);

// Where they stand: all ranks, and what of their stacks could be read.
await page.click("#ask-stacks");
await until("stacks: no answer", () => /1 of 1 host answered/.test(document.querySelector("#stacks [role=status]").textContent));
check("stacks: no rank is named", /ranks? \d/.test(await text("#stacks ul")), await text("#stacks"));
if (!/no frames/.test(await text("#stacks ul")))  // where the kernel lets nobody read stacks there are none
  check("stacks: no tree", await page.locator("#stacks .tree .frames").count() > 0, await text("#stacks"));
check("stacks: who asks again soon stops the threads again", await page.evaluate(async () => {
  const ask = async () => (await fetch("/api/stacks", { headers: { Authorization: "Bearer " + /token=([^&]+)/.exec(location.hash)[1] } })).text();
  const first = await ask();
  return first === await ask() && JSON.parse(first).trees[0].kind === "main";
}));

for (const pid of pids) process.kill(Number(pid), "SIGKILL");
await until("it does not say that the job has ended", () => /^The job has ended/.test(document.querySelector("#live span").textContent));
check("a button is left", await page.isHidden("#follow"));
check("console, or requests to others", problems.length === 0, problems.join("; "));
await close();
await browser.close();
process.exit(wrong);
