// The page of a job of 256 ranks that runs, in Chromium: node live_large.mjs URL PID..., the banner's URL and the job's processes,
// which it ends at last; rank 77 is late. Says what is wrong, one line each, and ends with 1 if anything is.
import { check, launch, open, seriousViolations, wrong } from "./browser.mjs";

const [url, ...pids] = process.argv.slice(2);
const browser = await launch();
const { page, problems, close } = await open(browser, url);
const text = selector => page.evaluate(name => document.querySelector(name)?.textContent ?? "", selector);
const until = (what, test, argument) => page.waitForFunction(test, argument, { timeout: 90000 }).catch(async () => check(what, false, await text("#page")));
const grows = what => text(".facts").then(before => until(what, old => document.querySelector(".facts").textContent !== old, before));
const operations = async () => Number(/([\d,]+) operations? in/.exec(await text(".facts"))[1].replaceAll(",", ""));

await until("it does not say that it is live", () => /^Live: what was recorded until .*ago\.$/.test(document.querySelector("#live span").textContent));
check("not all ranks and hosts are said", /: 256 processes on 8 hosts, /.test(await text(".facts")), await text(".facts"));
const few = await operations();
for (let i = 0; i < 3; ++i) await grows("it does not grow");
check("operations do not become more", await operations() > few, await text(".facts"));

// The late rank stands out from 255 others, and who was on its way when the job was read is not late.
await until("the late rank is not the one that others waited for", () => /^Others waited most for rank 77 /.test(document.querySelector("#waited-for").textContent));
// In the last second of each reading: at most two operations, each with one last of each host.
const lateAtTheEnd = () => page.evaluate(async () => {
  const ask = path => fetch(path, { headers: { Authorization: "Bearer " + /token=([^&]+)/.exec(location.hash)[1] } });
  const { to_ns } = await (await ask("api/live")).json();
  const data = new DataView(await (await ask(`api/tiles?from=${to_ns - 1e9}&to=${to_ns}&rows=256&columns=64`)).arrayBuffer());
  const rows = data.getUint32(8, true), columns = data.getUint32(12, true);
  const caused = (row, column) => data.getUint16(64 + 8 * rows + 16 * (row * columns + column) + 4, true) / 65535;
  return Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (_, column) => caused(row, column)).some(share => share > 0.5)).filter(Boolean).length;
});
for (let i = 0; i < 3; ++i) {
  const late = await lateAtTheEnd();
  check("ranks on their way are late", late < 32, late);
  console.error(`${late} ranks late in the last second`);
  await grows("it does not grow");
}
await until("no operations one by one", () => !document.querySelector("#timeline").hidden && /16 of 256 ranks/.test(document.querySelector("#operations-note").textContent));

// Hosts as rows, and back; the live view goes on meanwhile.
const height = () => page.evaluate(() => document.querySelector("#heat").getBoundingClientRect().height);
const tall = await height();
await page.check("input[value=host]");
await until("rows do not become hosts", old => document.querySelector("#heat").getBoundingClientRect().height < old / 2, tall);
await page.check("input[value=rank]");
await until("rows do not become ranks again", old => document.querySelector("#heat").getBoundingClientRect().height > old / 2, tall);
await page.fill("#search", "rank 200");
await page.keyboard.press("Enter");
await until("search: rank 200", () => /rank 200\.$/.test(document.querySelector("#window").textContent));
await page.click("button[aria-label='Show all of the run']");
await page.focus("#heat");
await page.keyboard.press("+");
await until("zooming does not stop it", () => document.querySelector("#follow").textContent === "Follow (f)");
const window = await text("#window");
await grows("it does not go on beneath a closer look");
check("the window moved away from its reader", await text("#window") === window, await text("#window"));

// What it says of stacks: all hosts answered, or which did not.
await page.click("#ask-stacks");
await until("stacks: no answer", () => /[1-8] of 8 hosts answered/.test(document.querySelector("#stacks [role=status]").textContent));
for (const violation of await seriousViolations(page)) check("accessibility", false, violation);

for (const pid of pids) process.kill(Number(pid), "SIGKILL");
await until("it does not say that the job has ended", () => /^The job has ended/.test(document.querySelector("#live span").textContent));
check("console, or requests to others", problems.length === 0, problems.join("; "));
await close();
await browser.close();
process.exit(wrong);
