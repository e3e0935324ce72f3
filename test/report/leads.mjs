// What findings and numbers say leads to where the plots have it, in Chromium: node leads.mjs FOLDER, which has one report.html a run
// (page.sh makes them). By keyboard, and again by the link in the address bar. Says what is wrong, one line each, and ends with 1
// if anything is.
import { check, launch, open, wrong } from "./browser.mjs";

const folder = process.argv[2];
const browser = await launch();
const on = async (name, hash, use, options = {}) => {
  const { page, problems, close } = await open(browser, `file://${folder}/${name}/report.html${hash}`, options);
  const text = async selector => ((await page.textContent(selector)) ?? "").replaceAll("\u00a0", " ");
  await use(page, text);
  const others = problems.filter(one => !/Canvas2D/.test(one));
  check(`${name}: problems`, others.length === 0, others.join("; "));
  await close();
};
// As the page has it: what Playwright knows of it may be older.
const said = async page => new URLSearchParams(await page.evaluate(() => location.hash.slice(1)));
const press = async (page, selector) => {  // as somebody without a mouse does
  await page.focus(selector);
  await page.keyboard.press("Enter");
  await page.waitForTimeout(200);
};
const isThere = (page, selector) => page.evaluate(one => {
  const box = document.querySelector(one).getBoundingClientRect();
  return document.activeElement === document.querySelector(one) && box.top >= 0 && box.bottom <= innerHeight;
}, selector);
const picture = (page, selector) => page.evaluate(one => document.querySelector(one).toDataURL(), selector);

// A slow network is nobody's fault: its numbers lead to the size that it slowed, where the plot says the same of it.
let address = "", sentence = "";
await on("network", "", async (page, text) => {
  const finding = await text("#finding-1");
  const [, factor, took, expected, slow, all] = /takes ([\d.]+) times as long .*? \(([\d.]+ ms) against ([\d.]+ ms)\), in (\d+) of (\d+) operations/.exec(finding) ?? [];
  check("network: the finding", factor !== undefined, finding);
  check("network: no row of what was expected", (await text("#finding-1 .evidence li")).includes(`${slow} of ${all} operations, took ${took} at their median where ${expected} is expected, ${factor} times as long`), await text("#finding-1 .evidence li"));
  check("network: no operation is named", /^matches: AllReduce #\d+, /.test(await text("#finding-1 .evidence li:nth-child(2)")), await text("#finding-1 .evidence li:nth-child(2)"));
  const before = await picture(page, "#bandwidths canvas");
  await press(page, ".headline a[href='#bandwidth']");
  check("network: the headline does not lead to the plot", await isThere(page, "#bandwidths"));
  check("network: nothing is marked", await picture(page, "#bandwidths canvas") !== before);
  check("network: the address", (await said(page)).get("size") === "AllReduce-12-33554432", page.url());
  sentence = await text("#bandwidth .readout");
  check("network: the plot says something else", sentence.startsWith("AllReduce of 32 MiB on 12 ranks (RING, SIMPLE): ") &&
    sentence.includes(` GB/s, ${expected}; ${slow} of ${all} operations took clearly longer. The cross: those took ${took}, `), sentence);
  address = new URL(page.url()).hash;
  for (const [from, selector] of [["the finding", "#finding-1 .leads a"], ["its evidence", "#finding-1 .evidence a"], ["the card", ".card a[href='#bandwidth']"], ["the table", "#operations td a"]]) {
    await page.keyboard.press("ArrowLeft");
    check(`network: the arrow does not go to the next size, for ${from}`, (await said(page)).get("size") === "AllReduce-12-4" && /^AllReduce of 4 B on 12 ranks/.test(await text("#bandwidth .readout")), page.url());
    await press(page, selector);
    check(`network: ${from} does not lead to the plot`, await isThere(page, "#bandwidths") && await text("#bandwidth .readout") === sentence, await text("#bandwidth .readout"));
  }
  await page.focus("#heat");
  await page.keyboard.press("+");
  await page.waitForTimeout(300);
  check("network: a link to another window leads to the plot", (await said(page)).has("t") && !(await said(page)).has("size"), page.url());
});
for (const [width, dark] of [[1280, false], [380, true]])
  await on("network", address, async (page, text) => {
    check(`network, ${width} pixels: the link does not lead there`, await isThere(page, "#bandwidths") && await text("#bandwidth .readout") === sentence, await text("#bandwidth .readout"));
  }, { width, dark });

// A slow link: the two ranks are marked where it is drawn who sends to whom.
await on("pipe", "", async (page, text) => {
  const [, from, to] = /from rank (\d+) on \S+ to rank (\d+) on /.exec(await text("#finding-1 .evidence li")) ?? [];
  const says = new RegExp(`^From rank ${from} to rank ${to}: [\\d.]+ [KMG]iB in \\d+ sends\\.$`);
  const before = await picture(page, "canvas.peers");
  await press(page, ".headline a[href='#peers']");
  check("pipe: the headline does not lead to the pair", await isThere(page, "canvas.peers") && says.test(await text("#peers .readout")), await text("#peers .readout"));
  check("pipe: nothing is marked", await picture(page, "canvas.peers") !== before);
  check("pipe: the address", new RegExp(`^${from}-${to}-pp \\(0x[0-9a-f]+\\)$`).test((await said(page)).get("pair")), page.url());
  address = new URL(page.url()).hash;
  await page.keyboard.press("ArrowUp");
  check("pipe: the arrow does not go to the pair above", new RegExp(`^From rank ${from - 1} to rank ${to}: `).test(await text("#peers .readout")), await text("#peers .readout"));
  check("pipe: the arrow is not in the address", (await said(page)).get("pair")?.startsWith(`${from - 1}-${to}-`), page.url());
  await press(page, "#finding-1 .evidence a[href='#peers']");
  check("pipe: the evidence does not lead to the pair", says.test(await text("#peers .readout")), await text("#peers .readout"));
  const row = await page.locator("#accounts tr:has(td a)").first().locator("td").allTextContents();
  await page.locator("#accounts td a").first().click();
  const marked = [row[0], row[1]].map(one => /^rank (\d+),/.exec(one)[1]).join("-") + "-" + row[2];
  check("pipe: the table of pairs leads nowhere", (await said(page)).get("pair") === marked && await page.evaluate(() => document.activeElement.matches("canvas.peers")), `${page.url()}, ${row}`);
  const words = (await page.locator("#peers .readout").allTextContents()).filter(one => one !== "");
  check("pipe: two squares say that they are marked", words.length === 1 && words[0].replaceAll("\u00a0", " ").includes(row[4].replaceAll("\u00a0", " ")), words.join("; "));
  // By a link that is followed in this tab, and by one to what this run has not.
  await page.evaluate(hash => location.hash = hash, address);
  await page.waitForTimeout(300);
  check("pipe: a pasted link does nothing", says.test(await text("#peers .readout")), await text("#peers .readout"));
});
await on("pipe", address, async page => check("pipe: the link does not lead there", await isThere(page, "canvas.peers")), { width: 380, dark: true });
for (const nowhere of ["#pair=7-99-nobody", "#pair=0-1-<b>x", "#size=AllReduce-3-7", "#size=<b>-1-1", "#pair=1", "#size="])
  await on("pipe", nowhere, async page => check(`${nowhere}: it leads somewhere`, await page.evaluate(() => scrollY === 0 && document.activeElement === document.body)));

// A click marks a pair, and the first arrow goes to where most is sent.
await on("alltoall", "", async (page, text) => {
  await page.locator("canvas.peers").scrollIntoViewIfNeeded();
  await page.click("canvas.peers", { position: { x: 66 + 28 + 14, y: 20 + 2 * 28 + 14 } });
  check("alltoall: a click marks nothing", (await said(page)).get("pair")?.startsWith("2-1-") === true && /^From rank 2 to rank 1: /.test(await text("#peers .readout")), page.url());
});
await on("alltoall", "", async page => {
  await page.focus("canvas.peers");
  await page.keyboard.press("ArrowRight");
  check("alltoall: the first arrow", (await said(page)).get("pair")?.startsWith("0-0-") === true, page.url());
});

// Who asks for an operation sees it.
for (const name of ["many", "straggler"])
  await on(name, "", async page => {
    await page.click("#finding-1 .evidence button");
    await page.waitForTimeout(500);
    check(`${name}: the operation is out of sight`, await page.evaluate(() => {
      const box = document.querySelector("#timeline").getBoundingClientRect();
      return box.top >= 0 && (box.bottom <= innerHeight || box.top < innerHeight / 2);
    }));
  });

await browser.close();
process.exit(wrong);
