// The page of each kind of run, in Chromium: node page.mjs FOLDER, which has one report.html a run (page.sh makes them).
// Says what is wrong, one line each, and ends with 1 if anything is.
import { check, launch, marksOf, open, seriousViolations, wrong } from "./browser.mjs";

const folder = process.argv[2];
const browser = await launch();
const at = name => `file://${folder}/${name}/report.html`;

// How many pixels of a canvas have a colour.
const painted = (page, selector) => page.evaluate(name => {
  const canvas = document.querySelector(name);
  if (canvas === null || canvas.hidden) return 0;
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let i = 3; i < pixels.length; i += 4) if (pixels[i] > 0) ++count;
  return count;
}, selector);

const text = (page, selector) => page.evaluate(name => document.querySelector(name)?.textContent ?? "", selector);

// What is said first, and what is drawn. `ops`: single operations are shown.
const runs = [
  { name: "straggler", badge: "Slowed down", headline: /^Rank 2 on .* holds up the others: without that the run would be 4\d\s% shorter/, ops: true },
  { name: "hang", badge: "Hangs", headline: /^Rank 1 on .+ \(pid \d+\) never called AllGather #4 on world; 3 ranks have been waiting for .*\ss\.$/, ops: true },
  { name: "healthy", badge: "Not certain", headline: /^Nothing was found, but 1 thing is not known\./, ops: true },
  { name: "proven", badge: "Healthy", headline: /^Nothing stands out: every call was recorded/, ops: true },
  { name: "slow-host", badge: "Slowed down", headline: /node0001/, ops: true },
  { name: "several", badge: "Slowed down", headline: /^Rank 3 .* holds up the others/, ops: true },
  { name: "alltoall", badge: "Not certain", headline: /./, ops: true },
  { name: "one", badge: "Not certain", headline: /^Nothing was recorded that could be judged\.$/, ops: false },
  { name: "many", badge: "Slowed down", headline: /^Rank 45 on node0005 holds up the others/, ops: true },
  { name: "large", badge: "Slowed down", headline: /^Rank 700 on node0087 holds up the others/, ops: true },
  { name: "network", badge: "Slowed down", headline: /^AllReduce of 32\sMiB on dp takes 3\.0 times as long as expected: /, ops: true },
  { name: "pipe", badge: "Slowed down", headline: /^Transfers from rank 12 on node0012 to rank 14 take .* times as long as usual/, ops: true },
  { name: "damaged", badge: "Slowed down", headline: /^Rank 2 /, ops: true },
];

for (const run of runs) {
  const { page, problems, close } = await open(browser, at(run.name));
  const said = what => `${run.name}: ${what}`;
  check(said("speaks on the console or asks somebody"), problems.length === 0, problems.join("; "));
  check(said("badge"), await text(page, ".badge") === run.badge, await text(page, ".badge"));
  check(said("headline"), run.headline.test(await text(page, "h1")), await text(page, "h1"));
  check(said("the heat map is empty"), !run.ops || await painted(page, "#heat") > 2000);
  check(said("operations one by one"), (await painted(page, "#timeline") > 500) === run.ops && await page.isVisible("#timeline") === run.ops);
  check(said("a number is on another line than its unit"), await page.evaluate(() => [...document.querySelectorAll("td:not(:first-child), main p, main li, .finding summary")]
    .every(cell => cell.closest("#logs, #stacks") !== null || !/\d (ns|us|ms|s|[KMG]iB|%)( |$)/.test(cell.textContent))));
  check(said("every card leads somewhere"), await page.evaluate(() => [...document.querySelectorAll(".card a, .headline a, nav a")]
    .every(link => document.querySelector(link.getAttribute("href")) !== null)));
  for (const violation of await seriousViolations(page)) check(said("accessibility"), false, violation);
  await close();
}

// Where nothing is recorded nothing is called complete, and a short run has an axis that can be read.
{
  const { page, close } = await open(browser, at("one"));
  const said = await text(page, "main");
  check("one: it is called complete", !/complete|Nothing is missing|Nothing wrong found|no rank is late/.test(said), said);
  check("one: what to do is not said", (await text(page, "#headline")).includes("LOCKSTEP_EVENTS=proxy"), await text(page, "#headline"));
  check("one: an empty table", await page.locator("#operations table").count() === 0);
  check("one: an empty plot", await page.locator("#trend-plot").count() === 0);
  await close();
  const short = await open(browser, at("proven"));
  const marks = await marksOf(short.page);
  check("the axis of less than a second is in seconds", marks.trend.length > 3 && marks.trend.every(text => /^\d+ ms$/.test(text)), marks.trend.join(" "));
  await short.close();
}

// On a phone a table scrolls, and no number or name of a few letters is on several lines.
{
  const { page, close } = await open(browser, at("slow-host"), { width: 380 });
  const tall = await page.$$eval("#critical-path td, #accounts td", cells => cells.filter(cell => cell.cellIndex > 0 && cell.textContent.length < 25 && (() => {
    const text = document.createRange();
    text.selectNodeContents(cell);
    return new Set([...text.getClientRects()].map(box => Math.round(box.top))).size > 1;
  })()).map(cell => cell.textContent));
  check("narrow: what is short is on several lines", tall.length === 0, [...new Set(tall)].slice(0, 5).join(" | "));
  await close();
}

// Narrow and dark, and on paper.
for (const name of ["straggler", "hang", "many", "alltoall", "one", "large", "several", "slow-host", "network", "pipe"]) {
  const { page, problems, close } = await open(browser, at(name), { width: 380, height: 800, dark: true });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  check(`${name}, 380 pixels wide: something sticks out`, overflow === 0, overflow);
  check(`${name}, dark: the paper is light`, await page.evaluate(() => getComputedStyle(document.body).backgroundColor) === "rgb(20, 23, 27)");
  for (const violation of await seriousViolations(page)) check(`${name}, narrow and dark`, false, violation);
  check(`${name}, narrow and dark: problems`, problems.length === 0, problems.join("; "));
  await page.emulateMedia({ media: "print", colorScheme: "light" });
  check(`${name}, printed: controls are on paper`, await page.evaluate(() => [".controls", "header", "nav"]
    .every(part => document.querySelector(part) === null || getComputedStyle(document.querySelector(part)).display === "none")));
  check(`${name}: does not print`, (await page.pdf()).length > 5000);
  await close();
}

// By keyboard alone: to the heat map, in, along, back; the address follows, and restores the view.
{
  const { page, problems, close } = await open(browser, at("straggler"));
  const shown = () => text(page, "#window");
  const whole = await shown();
  for (let i = 0; i < 60 && await page.evaluate(() => document.activeElement?.id) !== "heat"; ++i) await page.keyboard.press("Tab");
  check("keyboard: Tab never comes to the heat map", await page.evaluate(() => document.activeElement?.id) === "heat");
  const press = async key => {
    const before = await shown();
    await page.keyboard.press(key);
    await page.waitForFunction(old => document.querySelector("#window").textContent !== old, before, { timeout: 5000 })
      .catch(() => check(`keyboard: ${key} changes nothing`, false, before));
  };
  await press("+");
  await press("Shift+ArrowRight");
  const there = await shown(), address = page.url();
  check("keyboard: the address does not follow", /#.*t=\d+-\d+/.test(address), address);
  const again = await open(browser, address);
  check("the address does not restore the view", await text(again.page, "#window") === there, await text(again.page, "#window"));
  await again.close();
  await press("0");
  check("keyboard: 0 does not show all", await shown() === whole, await shown());
  await page.focus("#timeline");
  await page.keyboard.press("ArrowRight");
  check("keyboard: the timeline tells of no operation", /AllReduce #\d+ of 64 KiB on world: rank \d arrived/.test(await text(page, "#timeline + .readout")));
  check("keyboard: problems", problems.length === 0, problems.join("; "));
  await close();
}

// The search finds ranks and operations, and says what it does not find.
{
  const { page, close } = await open(browser, at("straggler"));
  const search = async what => {
    await page.fill("#search", what);
    await page.keyboard.press("Enter");
    await page.waitForTimeout(100);
  };
  await search("rank 2");
  check("search: rank 2", /rank 2\.$/.test(await text(page, "#window")), await text(page, "#window"));
  await search("AllReduce #7");
  check("search: AllReduce #7", /t=/.test(page.url()), page.url());
  check("search: AllReduce #7 is not chosen", /^AllReduce #7 of /.test(await text(page, "#timeline + .readout")), await text(page, "#timeline + .readout"));
  for (const [asked, shown] of [["ranks 1-2", "ranks 1 to 2"], ["2 to 1", "ranks 1 to 2"], ["rank 0", "rank 0"], ["3", "rank 3"], ["allreduce 8", "ranks 0 to 3"]]) {
    await search(asked);
    check(`search: ${asked}`, (await text(page, "#window")).endsWith(`, ${shown}.`) && await text(page, ".search .said") === "", `${await text(page, "#window")} ${await text(page, ".search .said")}`);
  }
  for (const [asked, answer] of [["rank 4", "There is no rank 4: this run has 0 to 3."], ["ranks 7-9", "There is no rank from 7 to 9: this run has 0 to 3."],
    ["allreduce", 'Which allreduce? Its number finds it: "allreduce #7".'], ["node7", 'Nothing found for "node7".']]) {
    await search(asked);
    check(`search: ${asked}`, (await text(page, ".search .said")).startsWith(answer), await text(page, ".search .said"));
  }
  await search("AllReduce #99999");
  check("search: what is not there", /There is no AllReduce #99999/.test(await text(page, ".search .said")));
  await search("<b>nothing");
  check("search: nonsense", /Nothing found for "<b>nothing"/.test(await text(page, ".search .said")));
  await page.click("#theme");
  check("theme: the button does not darken", await page.evaluate(() => getComputedStyle(document.body).backgroundColor) === "rgb(20, 23, 27)");
  await page.check("input[value=waiting]");
  check("measure: not in the address", /m=waiting/.test(page.url()), page.url());
  // A link that is pasted into this tab loads nothing anew. What this run has no rows for is left out.
  await page.evaluate(() => location.hash = "m=busy&r=1-2&by=host");
  await page.waitForFunction(() => /ranks 1 to 2\.$/.test(document.querySelector("#window").textContent), undefined, { timeout: 5000 })
    .catch(() => check("a pasted link does nothing", false));
  check("a pasted link: the buttons are behind", await page.evaluate(() => [...document.querySelectorAll(".controls input:checked")].map(one => one.value).join()) === "busy,rank");
  check("a pasted link fails", await text(page, "#ranks .said") === "", await text(page, "#ranks .said"));
  await close();
}

// Communicators count their operations each for itself: the search shows one of them, a finding's evidence its own.
{
  const { page, close } = await open(browser, at("several"));
  const ops = await page.evaluate(() => {
    const { columns, rows } = JSON.parse(document.getElementById("lockstep-ops").textContent);
    return rows.map(row => Object.fromEntries(columns.map((name, i) => [name, row[i]])));
  });
  const isOf = async (what, name, communicator) => {
    const seen = ops.filter(op => `${op.func} #${op.ordinal}` === name && op.comm === communicator);
    const [from, to] = (/t=(\d+)-(\d+)/.exec(page.url()) ?? []).slice(1).map(Number);
    const began = Math.min(...seen.map(op => op.arrival_ns)), ended = Math.max(...seen.map(op => op.end_ns));
    check(what, from < began && to > ended && to - from < 2 * (ended - began) + 4000, [page.url(), began, ended, communicator]);
  };
  const search = async what => {
    await page.fill("#search", what);
    await page.keyboard.press("Enter");
    await page.waitForTimeout(200);
    return text(page, ".search .said");
  };
  const said = await search("AllGather #7");
  const named = /^2 communicators have AllGather #7\. This is that of (split0 \(0x[0-9a-f]+\)); for another one: "(AllGather #7 on (split0 \(0x[0-9a-f]+\)))"\.$/.exec(said);
  check("search: it does not say that there are two", named !== null, said);
  if (named !== null) {
    await isOf("search: not the first of two", "AllGather #7", named[1]);
    check("search: by its communicator", await search(named[2]) === "");
    await isOf("search: not that of its communicator", "AllGather #7", named[3]);
  }
  const first = page.locator("#finding-1 .evidence button").first();
  await first.click();
  await page.waitForTimeout(200);
  await isOf("evidence: not of the finding's communicator", await first.textContent(),
    await page.evaluate(() => JSON.parse(document.getElementById("lockstep-data").textContent).verdicts[0].communicator));
  await close();
}

// Rows of hosts and of communicators, where there are several.
for (const [run, by, label] of [["slow-host", "host", /node0001/], ["several", "communicator", /world/], ["parallel", "tensor", /^tp .*, first rank \d, last \d/], ["parallel", "data", /^dp .*, first rank \d, last \d/]]) {
  const { page, problems, close } = await open(browser, at(run));
  const before = await page.evaluate(() => document.querySelector("#heat").height);
  await page.check(`input[value=${by}]`);
  await page.waitForFunction(old => document.querySelector("#heat").height !== old, before, { timeout: 5000 }).catch(() => check(`${run}: rows do not become ${by}s`, false));
  check(`${run}, by ${by}: not in the address`, page.url().includes("by=" + by), page.url());
  check(`${run}, by ${by}: nothing drawn`, await painted(page, "#heat") > 2000);
  const box = await page.locator("#heat").boundingBox();
  let said = "";
  for (let y = 4; y < box.height && !label.test(said); y += 6) {
    await page.hover("#heat", { position: { x: 200, y } });
    said = await text(page, ".heat .readout");
  }
  check(`${run}, by ${by}: the name is not said`, label.test(said), said);
  check(`${run}, by ${by}: problems`, problems.length === 0, problems.join("; "));
  await close();
}
// Clocks of several hosts: the band, and how they drift.
{
  const { page, close } = await open(browser, at("slow-host"));
  check("clock: no drift is drawn", await painted(page, "#drift-plot canvas") > 500);
  check("clock: the drift is not said", /node0001, -?\d+\.\d+ ppm/.test(await text(page, "#drift-plot")), await text(page, "#drift-plot"));
  await close();
}

// Lanes say what they show.
{
  const { page, close } = await open(browser, at("slow-host"));
  const width = (await page.locator("#heat").boundingBox()).width;
  let said = "";
  for (let x = width / 2; x < width && !/^steps: step \d+, /.test(said); x += 3) {
    await page.hover("#heat", { position: { x, y: 8 } });
    said = await text(page, ".heat .readout");
  }
  check("lanes: the steps are not said", /^steps: step \d+, .* to .*\.$/.test(said), said);
  await close();
}
// Lines of the job's logs: an instant in a lane, and words where they are in view.
{
  const { page, problems, close } = await open(browser, at("proven"));
  const box = await page.locator("#heat").boundingBox();
  const lane = async line => {
    let said = "";
    for (let x = box.width / 2 - 60; x < box.width / 2 + 120 && !said.startsWith(line); x += 1) {
      for (let y = 8; y < 60 && !said.startsWith(line); y += 16) {
        await page.hover("#heat", { position: { x, y } });
        said = await text(page, ".heat .readout");
      }
    }
    return said;
  };
  const error = await lane("log errors");
  check("logs: the error is in no lane", /^log errors: train\.log:2: .*<b>loss is nan<\/b>, .*\.$/.test(error), error);
  check("logs: no words", /train\.log:1unknown.*step 9.*train\.log:2error.*loss is nan/.test(await text(page, "#logs")), await text(page, "#logs"));
  const sides = selector => page.$$eval(selector, cells => [...new Set(cells.map(cell => getComputedStyle(cell).textAlign))].join());
  check("tables: words do not begin at the left", await sides("#logs :is(td, th):last-child") === "left", await sides("#logs :is(td, th):last-child"));
  check("tables: numbers do not end at the right", await sides("#operations :is(td, th):nth-child(4)") === "right", await sides("#operations :is(td, th):nth-child(4)"));
  check("logs: markup", await page.evaluate(() => document.querySelectorAll("main b").length) === 0);
  await page.focus("#heat");
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  for (let i = 0; i < 12; ++i) await page.keyboard.press("Shift+ArrowLeft");
  await page.waitForFunction(() => document.querySelector("#logs").textContent === "", undefined, { timeout: 5000 })
    .catch(() => check("logs: lines of another time are shown", false));
  check("logs: problems", problems.length === 0, problems.join("; "));
  await close();
}
{
  const { page, close } = await open(browser, at("straggler"));
  check("rows that the run has one of", await page.locator("input[value=host], input[value=communicator]").count() === 0);
  await close();
}

// Ranks that hang wait to the end of the recording, for the one that never came.
{
  const { page, close } = await open(browser, at("hang"));
  await page.check("input[value=waiting]");
  const box = await page.locator("#heat").boundingBox();
  const saidAt = async line => {  // 26 pixels a row above an axis of 22; the abort comes later
    await page.hover("#heat", { position: { x: box.width / 2, y: box.height - 22 - 26 * (4 - line) + 13 } });
    return text(page, ".heat .readout");
  };
  check("hang: rank 0 does not wait", /^Rank 0, .*waited 100 %/.test(await saidAt(0)), await saidAt(0));
  check("hang: rank 1 does not make others wait", /^Rank 1, .*made others wait 100 %/.test(await saidAt(1)), await saidAt(1));
  await close();
}

// What a finding rests on can be looked at, and earlier runs are compared.
{
  const { page, close } = await open(browser, at("straggler"));
  await page.click("#finding-1 .evidence button");
  await page.waitForFunction(() => /t=\d+-\d+/.test(location.hash), undefined, { timeout: 5000 }).catch(() => check("evidence: a click shows nothing", false));
  check("evidence: another operation is shown", await page.evaluate(() => {
    const [from, to] = /t=(\d+)-(\d+)/.exec(location.hash).slice(1).map(Number);
    const named = document.querySelector("#finding-1 .evidence button").textContent;
    const ops = JSON.parse(document.getElementById("lockstep-ops").textContent);
    const at = name => ops.columns.indexOf(name);
    const rows = ops.rows.filter(row => `${row[at("func")]} #${row[at("ordinal")]}` === named);
    return rows.length === 4 && rows.every(row => row[at("arrival_ns")] >= from && row[at("end_ns")] <= to);
  }));
  check("evidence: a file has no SQL to lead to", await page.locator(".evidence .rows").count() === 0 && /^matches: in /.test(await text(page, "#finding-1 .evidence li")), await text(page, "#finding-1 .evidence li"));
  check("compare: stands where nobody asked", await page.evaluate(() => document.querySelector("#compare") === null));
  await close();
  const compared = await open(browser, at("compared"));
  check("compare: what became slower is not there", /Against earlier runs.*Slower.*AllReduce of 32 MiB.*compared.*noise between runs is unknown/s.test(await text(compared.page, "#compare")), await text(compared.page, "#compare"));
  await compared.close();
}

// Names of a recording stay text.
{
  const { page, problems, close } = await open(browser, at("hostile"));
  check("hostile: a name became markup", await page.evaluate(() => document.querySelectorAll("main img, main script, main b").length) === 0);
  check("hostile: the name is not shown", (await text(page, "main")).includes("</script><img/src=x/onerror=alert(1)>"));
  check("hostile: problems", problems.length === 0, problems.join("; "));
  await close();
}

// Figures only: how long a page of 64 ranks takes to open depends on the machine.
{
  const started = Date.now();
  const { close } = await open(browser, at("many"));
  console.error(`the page of 64 ranks opened in ${Date.now() - started} ms`);
  await close();
}

await browser.close();
process.exit(wrong);
