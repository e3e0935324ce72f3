// The page of a folder of runs in Chromium: node folder.mjs URL RUN..., the banner's URL and the names of the runs in order.
// Says what is wrong, one line each, and ends with 1 if anything is.
import { launch, open, seriousViolations } from "./browser.mjs";

const [url, ...runs] = process.argv.slice(2);
const browser = await launch();
let wrong = 0;
function check(what, holds, seen = "") {
  if (holds) return;
  wrong = 1;
  console.log(`${what}: ${seen}`);
}

for (const width of [1280, 380]) {
  const { page, problems, close } = await open(browser, url, { width });
  const heading = await page.textContent("h1");
  check("heading", heading.startsWith(`${runs.length} runs in `), heading);
  const listed = await page.$$eval("tbody td:first-child a", links => links.map(link => link.textContent));
  check("runs", listed.join("|") === runs.join("|"), listed.join("|"));
  const violations = await seriousViolations(page);
  check("accessibility", violations.length === 0, violations.join("; "));
  check("wider than the screen", await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), String(width));
  await page.click(`text="${runs[0]}"`);
  await page.waitForFunction(() => document.querySelector("#heat") !== null, undefined, { timeout: 30000 });
  check("the run's page", page.url().includes(`/runs/${encodeURIComponent(runs[0])}/#`) && page.url().includes("token="), page.url());
  await page.goBack();
  await page.waitForSelector("tbody td:first-child a");
  check("said or asked", problems.length === 0, problems.join("; "));
  await close();
}
await browser.close();
process.exit(wrong);
