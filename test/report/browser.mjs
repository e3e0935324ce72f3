// Debian's Chromium under playwright-core, for tests and pictures of the page: what it says on the console, whom it asks
// and what axe finds come back with it.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

// 1 once a check() did not hold: the test's exit code.
export let wrong = 0;
// Says what does not hold, a line each, and what is there instead.
export function check(what, holds, seen = "") {
  if (holds) return;
  wrong = 1;
  console.log(`${what}${seen === "" ? "" : `: ${seen}`}`);
}

export async function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

// Opens `url` and waits until the page has drawn. `problems`: all that it said on the console, or asked of anybody else.
export async function open(browser, url, { width = 1280, height = 900, dark = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
  const page = await context.newPage();
  const problems = [];
  page.on("console", message => problems.push(`console: ${message.text()}`));
  page.on("pageerror", error => problems.push(`error: ${error.message}`));
  page.on("request", request => {
    const own = request.url().startsWith("data:") || request.url().startsWith("blob:") || new URL(request.url()).origin === new URL(url).origin;
    if (!own || (url.startsWith("file:") && request.url().split("#")[0] !== url.split("#")[0] && !request.url().startsWith("data:")))
      problems.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  // Until the script has drawn, the page is its title alone.
  await page.waitForSelector("#page > :nth-child(2)", { state: "attached", timeout: 30000 });
  await page.waitForFunction(() => document.querySelector("#ranks") === null || document.querySelector(".heat .legend, .heat + p, #ranks p")?.textContent);
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)))));
  return { page, problems, close: () => context.close() };
}

// What axe-core finds of serious or critical impact: one line each.
export async function seriousViolations(page) {
  await page.evaluate(readFileSync(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8"));
  const results = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return results.violations.filter(one => one.impact === "serious" || one.impact === "critical")
    .map(one => `${one.id} (${one.impact}): ${one.help}: ${one.nodes.slice(0, 3).map(node => node.target + " " + node.any.map(any => any.message).join(";")).join(", ")}`);
}

// What canvases write as they are drawn again (the button of the theme has them drawn): by the id or the class of what each is in.
export async function written(page) {
  await page.evaluate(() => {
    window.written = [];
    const write = CanvasRenderingContext2D.prototype.fillText;
    window.unspied = () => CanvasRenderingContext2D.prototype.fillText = write;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
      window.written.push({ where: this.canvas.id || this.canvas.closest("[id]")?.id || "", canvas: this.canvas, text, colour: this.fillStyle });
      return write.call(this, text, ...rest);
    };
  });
  await page.click("#theme");
  await page.waitForFunction(() => ["heat", "trend-plot"].every(where => window.written.some(one => one.where === where)) &&
    (document.querySelector("#timeline").hidden || window.written.some(one => one.where === "timeline")), undefined, { timeout: 10000 });
  const all = await page.evaluate(() => window.written.map(({ where, text, colour }) => ({ where, text, colour })));
  await page.evaluate(() => window.unspied());
  return all;
}

// The times below the trend, and those below the heat map.
export async function marksOf(page) {
  const all = await written(page);
  const of = where => [...new Set(all.filter(one => one.where === where && /^[\d.]+ (s|ms|us|ns)$/.test(one.text)).map(one => one.text))];
  return { trend: of("trend-plot"), heat: of("heat") };
}
