// What the first screen and the heat map say in words, in Chromium: node first.mjs FOLDER, which has one report.html a run (page.sh
// makes them). Numbers agree with each other, and each leads to its evidence. Says what is wrong, one line each, and ends with 1 if
// anything is.
import { check, launch, marksOf, open, written, wrong } from "./browser.mjs";

const folder = process.argv[2];
const browser = await launch();
const on = async (name, use) => {
  const { page, problems, close } = await open(browser, `file://${folder}/${name}/report.html`);
  const text = selector => page.evaluate(one => document.querySelector(one)?.textContent ?? "", selector);
  const card = title => page.evaluate(one => [...document.querySelectorAll(".card")].find(card => card.querySelector("h2").textContent === one).textContent, title);
  await use(page, text, card);
  check(`${name}: problems`, problems.length === 0, problems.join("; "));
  await close();
};

// Of a hang: how long it stands and who waits is the same in the headline, the card and the trend, and nothing is called ended.
await on("hang", async (page, text, card) => {
  const [, ranks, time] = /; (\d+) ranks have been waiting for (.*)\.$/.exec((await text("h1")).replaceAll("\u00a0", " ")) ?? [];
  check("hang: the card says another time", (await card("Waiting")).replaceAll("\u00a0", " ").includes(`${time}since anything moved; ${ranks} ranks are waiting.`), await card("Waiting"));
  check("hang: the trend says another time", (await text("#trend p")).replaceAll("\u00a0", " ").includes(`; since then, for ${time}, what hangs has not moved, and 75 % of the ranks have waited.`), await text("#trend p"));
  check("hang: every operation has an end", /calls? of (a )?ranks? (has|have) no end/.test(await card("Recording")), await card("Recording"));
  check("hang: it is said below that every operation has an end", !/every operation has an end/.test(await text("main")));
  const unknown = await page.$$eval("#operations tbody tr", rows => rows.filter(row => row.children[6].textContent === "-").map(row => row.children[4].textContent));
  check("hang: a time that is not known is named", unknown.length > 0 && unknown.every(time => time === "-"), unknown.join(", "));
  check("hang: red is not explained", / Red: it never ended\./.test(await page.evaluate(() => document.querySelector("#operations-note").textContent)));
  // The bars of those who stand in the operation that hangs have its name; another one, of which no end is recorded, is no bar.
  const names = (await written(page)).filter(one => one.where === "timeline" && / #\d+$/.test(one.text)).map(one => one.text);
  check("hang: bars have another name", names.length >= 3 && names.every(name => name === "AllGather #4"), names.join(", "));
  check("hang: the ranks that stand there have no colour", /^Strongest: in operations all of the time\./.test(await text(".heat .legend")), await text(".heat .legend"));
});

// Of a deadlock nobody is missing, and all wait: the trend rises to its top and stays there to the end.
await on("deadlock", async (page, text, card) => {
  const [, ranks, time] = /; (8) ranks have been waiting for ([\d.]+ s)\.$/.exec((await text("h1")).replaceAll("\u00a0", " ")) ?? [];
  check("deadlock: the headline names no number of ranks", ranks !== undefined, await text("h1"));
  check("deadlock: the card says another number", (await card("Waiting")).replaceAll("\u00a0", " ").includes(`${time}since anything moved; ${ranks} ranks are waiting.`), await card("Waiting"));
  check("deadlock: the trend's words", /what hangs has not moved, and 100\u00a0% of the ranks have waited\./.test(await text("#trend p")), await text("#trend p"));
  const filled = await page.evaluate(() => {  // of the plot's columns, from left to right: how far up the waiting reaches
    const canvas = document.querySelector("#trend-plot canvas"), { width, height } = canvas;
    const pixels = canvas.getContext("2d", { willReadFrequently: true }).getImageData(0, 0, width, height).data;
    const orange = (x, y) => pixels[4 * (y * width + x) + 3] > 40 && pixels[4 * (y * width + x)] > pixels[4 * (y * width + x) + 2] + 60;
    return [0.3, 0.6, 0.9, 0.985].map(share => Array.from({ length: height }, (_, y) => orange(Math.round(share * width), y)).filter(Boolean).length / height);
  });
  await page.focus("#heat");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("End");
  check("deadlock: the last cell is about more than the run", /: in operations 100 %, waited 100 %, /.test(await text(".heat .readout")), await text(".heat .readout"));
  check("deadlock: the trend does not rise", filled.every(share => share > 0.4), filled.map(share => share.toFixed(2)).join(" "));
});

// The trend stands above the heat map, with the same marks: but for the last, which has no room.
for (const name of ["hang", "straggler", "proven"])
  await on(name, async page => {
    const { trend, heat } = await marksOf(page);
    check(`${name}: the times differ`, trend.length > 3 && trend.join() === heat.slice(0, trend.length).join() && heat.length - trend.length <= 1, `${trend.join()} | ${heat.join()}`);
  });

// Commands in sentences look like commands.
await on("two-groups", async (page, text) => {
  check("a command is not set apart", await text("#findings code") === "lockstep ctl RUN events step" && !(await text("#page")).includes("`"), await text("#findings"));
});

// What a slow link, or a host whose data gets lost, rests on leads to operations of that time.
for (const [name, measured] of [["two-groups", /^matches: transfers from rank \d on node\d+ to rank \d on node\d+ take .* per operation where .* is usual \(/],
  ["lossy", /^nic_counters: h2 sent 1705 of 34227 TCP segments again, any other host at most 0$/]])
  await on(name, async (page, text) => {
    await page.click(".headline a[href='#finding-1']");
    const line = await text("#finding-1 .evidence li:first-child");
    check(`${name}: what is slow is not measured against anything`, measured.test(line.replaceAll("\u00a0", " ")), line);
    const named = await text("#finding-1 .evidence button");
    await page.click("#finding-1 .evidence button");
    await page.waitForFunction(name => document.querySelector("#timeline + .readout").textContent.startsWith(name + " of "), named, { timeout: 5000 })
      .catch(async () => check(`${name}: ${named} is not chosen`, false, await text("#timeline + .readout")));
    check(`${name}: when it was is not shown`, await page.locator("#finding-1 p button").textContent() === "Show when");
  });

// Bars above the heat map that have a host's name are explained, where there are any.
for (const [name, any] of [["lossy", true], ["proven", false]])
  await on(name, async (page, text) => check(`${name}: what the hosts' bars are`, / Bars by a host\u2019s name above: when it was short of processors, memory or disk\.$/.test(await text(".heat .legend")) === any, await text(".heat .legend")));

// Of a damaged recording: its date is that of the processes that can be read, and it is not called complete.
await on("damaged", async (page, text, card) => {
  check("damaged: the date", / from 20\d\d-/.test(await text(".facts")), await text(".facts"));
  check("damaged: every call was recorded", /^Recordingdamaged/.test(await card("Recording")) && !/[Ee]very call was recorded/.test(await card("Recording")), await card("Recording"));
});

// The run's name, not where it lies; waits that cost next to nothing are pale.
await on("proven", async (page, text) => {
  check("the run's name", /^proven: 8 processes on /.test(await text(".facts")) && !(await text(".facts")).includes("/"), await text(".facts"));
  check("the title", await page.title() === "lockstep: proven", await page.title());
  const darkest = Number(/^Strongest: made others wait for (\d+)\s% of the time or more\./.exec(await text(".heat .legend"))?.[1]);
  check("what costs nothing is as dark as a fault", darkest >= 10, await text(".heat .legend"));
  check("healthy: what is not known is linked", await text(".headline a") === "How complete the recording is", await text(".headline a"));
});

// What a rank costs is the same share wherever it stands, and each says what of. Set-up takes most of this run.
await on("straggler", async (page, text) => {
  const said = async selector => (await text(selector)).replaceAll("\u00a0", " ");
  const [, cost] = /^(\d+ %) of the run\u2019s time, not counting its set-up$/.exec(await said(".headline .cost")) ?? [];
  check("cost: the finding says another share", (await said("#finding-1 summary")).includes(`, ${cost} of the run\u2019s time, not counting its set-up)`), await said("#finding-1 summary"));
  const path = (await said("#operations ul")).match(/Critical path: .*/)?.[0] ?? "";
  check("cost: the critical path says another share", path.includes(`Most to win: rank 2, `) && path.endsWith(` (${cost} of the run's time, not counting its set-up).`), `${cost} ${path}`);
  check("cost: the critical path does not say what its parts are shares of", /^Critical path: of [\d.]+ s, set-up included, \d+ % between /.test(path), path);
  const won = await page.$$eval("#critical-path tbody tr", rows => rows.filter(row => row.firstChild.textContent.startsWith("rank 2, ")).map(row => row.lastChild.textContent));
  check("cost: what could be won is another share", won.length === 1 && won[0].replaceAll("\u00a0", " ") === cost, `${cost} ${won}`);
});

// Whom others waited for, in words: a click shows that rank.
await on("straggler", async (page, text) => {
  check("not whom others waited for most", /^Others waited most for rank 2 \(\d+\s% of the time in view\)/.test(await text("#waited-for")), await text("#waited-for"));
  await page.click("#waited-for button");
  await page.waitForFunction(() => /rank 2\.$/.test(document.querySelector("#window").textContent), undefined, { timeout: 5000 })
    .catch(async () => check("a click does not show that rank", false, await text("#window")));
});

// An operation that a finding names, and one that is searched, is chosen, with the ranks that are in it.
await on("straggler", async (page, text) => {
  const named = await text("#finding-1 .evidence button");
  await page.click("#finding-1 .evidence button");
  await page.waitForFunction(name => document.querySelector("#timeline + .readout").textContent.startsWith(name + " of "), named, { timeout: 5000 })
    .catch(async () => check(`evidence: ${named} is not chosen`, false, await text("#timeline + .readout")));
  check("evidence: what others waited for within one cell is said of less", await page.isHidden("#waited-for"), await text("#waited-for"));
  // What is written is as exact as what is shown is short.
  const numbers = (pattern, said) => pattern.exec(said)?.slice(1).map(Number) ?? [];
  const [from, to] = numbers(/^Shown: ([\d.]+)\ss to ([\d.]+)\ss, /, await text("#window"));
  const [shown, end] = numbers(/t=(\d+)-(\d+)/, page.url());
  check("evidence: the window is written as longer or shorter than it is", Math.abs((to - from) * 1e9 / (end - shown) - 1) < 0.1, await text("#window"));
  const [arrived, waited, took, ended] = numbers(/ arrived at ([\d.]+) s, it waited ([\d.]+) ms for .* took ([\d.]+) ms, it ended at ([\d.]+) s\.$/, await text("#timeline + .readout"));
  check("evidence: its times do not add up", Math.abs((ended - arrived) * 1e3 - waited - took) < 0.3, await text("#timeline + .readout"));
  check("evidence: not who waited longest", /it waited .* for rank 2/.test(await text("#timeline + .readout")), await text("#timeline + .readout"));
});
await on("parallel", async (page, text) => {
  const ops = await page.evaluate(() => {
    const { columns, rows } = JSON.parse(document.getElementById("lockstep-ops").textContent);
    return rows.map(row => Object.fromEntries(columns.map((name, i) => [name, row[i]])));
  });
  const one = ops.find(op => /^tp /.test(op.comm) && op.rank > 3);
  const ranks = [...new Set(ops.filter(op => op.comm === one.comm).map(op => op.rank))];
  await page.fill("#search", `${one.func} #${one.ordinal} on ${one.comm}`);
  await page.keyboard.press("Enter");
  const shown = `ranks ${Math.min(...ranks)} to ${Math.max(...ranks)}.`;
  await page.waitForFunction(words => document.querySelector("#window").textContent.endsWith(words), shown, { timeout: 5000 })
    .catch(async () => check(`search: not ${shown}`, false, await text("#window")));
  await page.waitForFunction(name => document.querySelector("#timeline + .readout").textContent.startsWith(name + " of "), `${one.func} #${one.ordinal}`, { timeout: 5000 })
    .catch(async () => check("search: the operation is not chosen", false, await text("#timeline + .readout")));
});

// On a phone a long name in a plot's legend stays beside its colour.
{
  const { page, close } = await open(browser, `file://${folder}/parallel/report.html`, { width: 380 });
  await page.waitForSelector("#bandwidths .u-legend .u-series");
  const apart = await page.evaluate(() => [...document.querySelectorAll(".u-legend .u-series")].filter(one => {
    const [marker, label] = [".u-marker", ".u-label"].map(part => one.querySelector(part)?.getBoundingClientRect());
    return marker && label && marker.width > 0 && (label.top >= marker.bottom || label.left < marker.right);
  }).map(one => one.textContent));
  check("legend: names below their colours", apart.length === 0, apart.join(", "));
  await close();
}

await browser.close();
process.exit(wrong);
