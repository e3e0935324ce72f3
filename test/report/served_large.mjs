// The page of a run that is served in parts, in Chromium: node served_large.mjs URL PID, the banner's URL and the server, which it ends at
// last; rank 33 of 40 is late.
// Says what is wrong, one line each, and ends with 1 if anything is.
import { check, launch, open, wrong } from "./browser.mjs";

const [url, pid] = process.argv.slice(2);
const browser = await launch();
const { page, problems, close } = await open(browser, url);
const text = selector => page.evaluate(name => document.querySelector(name)?.textContent ?? "", selector);
const until = (what, test, argument) => page.waitForFunction(test, argument, { timeout: 60000 }).catch(async () => check(what, false, await text("#ranks")));
const heat = () => page.evaluate(() => {
  const canvas = document.querySelector("#heat");
  return canvas === null ? 0 : canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.filter((value, i) => i % 4 === 3 && value > 0).length;
});

check("headline", /^Rank 33 on .* holds up the others/.test(await text("h1")), await text("#page"));
check("it does not say that the verdict is about a part", /^This is about the last part of a large run, from 20\.6\ss on, as are all findings, tables and SQL\. The heat map has all of it\.$/
  .test(await text("#last-part")), await text("#last-part"));
check("the operations of a part are said to be all", /, [\d,]+ operations in the last 11\.9\ss of 32\.5\ss, from /.test(await text(".facts")), await text(".facts"));
check("no heat map of all of it", await heat() > 2000, await text("#ranks"));
await until("it does not say why there are no single operations", () => /^Zoom in to see operations one by one: .*\.$/.test(document.querySelector("#operations-note").textContent));
check("an empty picture of operations", await page.isHidden("#timeline"));

// Ever closer: the heat map stays, and at last there are operations; of all lengths, also where finer tiles cannot be read.
await page.focus("#heat");
for (let i = 0; i < 6; ++i) {
  const before = await text("#window");
  await page.keyboard.press("+");
  await until("it does not zoom", old => document.querySelector("#window").textContent !== old, before);
  await page.waitForTimeout(300);
  check("no heat map of " + await text("#window"), await heat() > 2000, await text("#ranks .said"));
}
await until("no operations one by one", () => !document.querySelector("#timeline").hidden);
const note = await text("#timeline + p") + await page.evaluate(() => document.querySelector("#operations-note").textContent);
check("it does not say of how many ranks", /16 of 40 ranks: those waited for most, and the first\./.test(note), note);
await page.focus("#timeline");
const said = new Set();
const shown = [/: rank 33 arrived/, /waited .* for rank 33/];
for (let i = 0; i < 200 && !shown.every(what => [...said].some(one => what.test(one))); ++i) {
  await page.keyboard.press("ArrowRight");
  said.add(await text("#timeline + .readout"));
}
check("operations of the late rank are not there", [...said].some(one => shown[0].test(one)), [...said].slice(0, 20).join("; "));
check("nobody waits for it", [...said].some(one => shown[1].test(one)));

// The search knows the last part only, and finds there what is there.
const search = async what => {
  const before = await page.evaluate(() => location.hash);
  await page.fill("#search", what);
  await page.keyboard.press("Enter");
  await page.waitForFunction(old => document.querySelector(".search .said").textContent !== "" || location.hash !== old, before, { timeout: 20000 }).catch(() => {});
  await page.waitForTimeout(300);
  return text(".search .said");
};
const early = await search("AllReduce #3");
if (!/no DuckDB/.test(early)) {
  check("search: what is in no part that is searched", /^There is no AllReduce #3 after .* s: of so large a run only the last part is searched\.$/.test(early), early);
  const late = await search("AllReduce #1590");
  check("search: AllReduce #1590", late === "", late);
  const [from, to] = /t=(\d+)-(\d+)/.exec(page.url()).slice(1).map(Number);
  check("search: when AllReduce #1590 was, nearly the last of 21.5 s that begin after one", from > 22.4e9 && to < 22.42e9, page.url());
}
// A trace of all of it is refused, one of what is in view is a file, and a server that has gone is said to be.
await page.focus("#heat");
await page.keyboard.press("0");
// By the keyboard: what is drawn meanwhile may move the button from under the pointer.
await page.press("#perfetto", "Enter");
await until("Perfetto: nothing is said of too large a trace", () => document.querySelector("#perfetto + .said").textContent.includes("larger than 64 MiB; ask for a shorter time or fewer ranks"));
await page.fill("#search", "rank 33");
await page.keyboard.press("Enter");
await page.focus("#heat");
for (let i = 0; i < 5; ++i) await page.keyboard.press("+");
const [file] = await Promise.all([page.waitForEvent("download", { timeout: 60000 }).catch(() => null), page.press("#perfetto", "Enter")]);
check("Perfetto: no download", file !== null && file.suggestedFilename() === "lockstep.pftrace", await text("#perfetto + .said"));
process.kill(Number(pid));
while (await fetch(url).then(() => true, () => false)) await page.waitForTimeout(50);  // it still answers for a moment
await page.focus("#heat");
await page.keyboard.press("-");
await until("it does not say that the server has gone", () => [...document.querySelectorAll("#ranks .said")]
  .some(one => one.textContent === "The server does not answer: `lockstep serve` has ended, or the tunnel to it."));
const others = problems.filter(one => !/status of 413|Canvas2D|ERR_CONNECTION_REFUSED/.test(one));
check("console, or requests to others", others.length === 0, others.join("; "));
await close();
await browser.close();
process.exit(wrong);
