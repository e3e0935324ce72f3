// The page of a folder of runs in Chromium: node folder.mjs URL RUN..., the banner's URL and the names of the runs in order.
// Says what is wrong, one line each, and ends with 1 if anything is.
import { check, launch, open, seriousViolations, wrong } from "./browser.mjs";

const [url, ...runs] = process.argv.slice(2);
const browser = await launch();

const said = {};  // by run: what its page says first
const plain = async (page, selector) => (await page.textContent(selector)).replaceAll("\u00a0", " ");
for (const width of [1280, 380]) {
  const { page, problems, close } = await open(browser, url, { width });
  const heading = await page.textContent("h1");
  check("heading", heading.startsWith(`${runs.length} runs in `), heading);
  const listed = await page.$$eval("tbody td:first-child a", links => links.map(link => link.textContent));
  check("runs", listed.join("|") === runs.join("|"), listed.join("|"));
  // What is said of a run is what its page said last; the list reads none.
  const verdicts = await page.$$eval("tbody tr", rows => rows.map(row => row.children[1].textContent));
  check("verdicts", verdicts.join("|") === runs.map(run => said[run] ?? "not looked at yet").join("|"), verdicts.join("|"));
  check("a verdict is markup", await page.evaluate(() => document.querySelectorAll("tbody b").length) === 0);
  const shown = await page.evaluate(() => {  // beside the name, without scrolling
    const box = document.querySelector("tbody .verdict").getBoundingClientRect();
    return box.left >= 0 && box.left + 60 < innerWidth;
  });
  check("the verdict is out of sight", shown, width);
  const lefts = await page.evaluate(() => {
    const left = node => {
      const words = document.createRange();
      words.selectNodeContents(node);
      return words.getBoundingClientRect().left;
    };
    return ["th:nth-child(2)", "td:nth-child(2) .verdict"].map(where => left(document.querySelector(where)));
  });
  check("a verdict is not below its heading", Math.abs(lefts[0] - lefts[1]) < 3, lefts.join(" "));
  const violations = await seriousViolations(page);
  check("accessibility", violations.length === 0, violations.join("; "));
  check("wider than the screen", await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), String(width));
  await page.click(`text="${runs[0]}"`);
  await page.waitForFunction(() => document.querySelector("#heat") !== null, undefined, { timeout: 30000 });
  said[runs[0]] = await plain(page, ".badge") + ": " + await plain(page, "h1");
  check("the run's page", page.url().includes(`/runs/${encodeURIComponent(runs[0])}/#`) && page.url().includes("token="), page.url());
  await page.click("#compare button");
  await page.waitForFunction(() => /Nothing became slower/.test(document.querySelector("#compare [role=status]").textContent), undefined, { timeout: 30000 })
    .catch(() => check("compare: a faster run became slower", false, width));
  await page.click("text=All runs");
  await page.waitForSelector("tbody td:first-child a");
  await page.click(`text="${runs[1]}"`);
  await page.waitForFunction(() => document.querySelectorAll("#compare option").length > 0, undefined, { timeout: 30000 });
  said[runs[1]] = await plain(page, ".badge") + ": " + await plain(page, "h1");
  const others = await page.$$eval("#compare option", options => options.map(option => option.textContent));
  check("compare: the other runs", others.join("|") === runs.filter(run => run !== runs[1]).join("|"), others.join("|"));
  await page.selectOption("#compare-with", runs[0]);
  await page.click("#compare button");
  await page.waitForFunction(() => /Slower/.test(document.querySelector("#compare [role=status]").textContent), undefined, { timeout: 30000 })
    .catch(() => check("compare: nothing became slower", false, width));
  const slower = await page.textContent("#compare [role=status]");
  check("compare: what became slower", slower.includes("Since " + runs[0]) && /AllReduce of 32 MiB.*median.* compared/.test(slower), slower);
  check("compare: in the address", new URLSearchParams(new URL(page.url()).hash.slice(1)).get("with") === runs[0], page.url());
  await page.reload();
  await page.waitForFunction(() => /Slower/.test(document.querySelector("#compare [role=status]")?.textContent ?? ""), undefined, { timeout: 30000 })
    .catch(() => check("compare: the link does not restore it", false, page.url()));
  check("compare: wider than the screen", await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), String(width));
  const unfit = await seriousViolations(page);
  check("compare: accessibility", unfit.length === 0, unfit.join("; "));
  await page.goBack();
  await page.waitForSelector("tbody td:first-child a");
  check("said or asked", problems.length === 0, problems.join("; "));
  await close();
}
await browser.close();
process.exit(wrong);
