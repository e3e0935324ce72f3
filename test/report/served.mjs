// The page of a served run in Chromium: node served.mjs URL PERFETTO, the banner's URL, and the address of a page that
// answers as Perfetto's documentation describes. Says what is wrong, one line each, and ends with 1 if anything is.
import { check, launch, open, seriousViolations, wrong } from "./browser.mjs";

const [url, perfetto] = process.argv.slice(2);
const browser = await launch();
const text = (page, selector) => page.evaluate(name => document.querySelector(name)?.textContent ?? "", selector);
const until = (page, what, test, argument) => page.waitForFunction(test, argument, { timeout: 20000 }).then(() => true, () => (check(what, false), false));
const painted = name => {
  const canvas = document.querySelector(name);
  if (canvas === null || canvas.hidden) return false;
  return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.filter((value, i) => i % 4 === 3 && value > 0).length > 500;
};

{
  const { page, problems, close } = await open(browser, url);
  await until(page, "no heat map", painted, "#heat");
  await until(page, "no operations one by one", painted, "#timeline");
  check("headline", /^Rank 2 on .* holds up the others/.test(await text(page, "h1")), await text(page, "h1"));
  check("no words of the job's log", /train\.log:1unknown.*step 9.*train\.log:2error.*loss is nan/.test(await text(page, "#logs")), await text(page, "#logs"));
  check("a log's text became markup", await page.evaluate(() => document.querySelectorAll("main b").length) === 0);
  const asked = [];
  page.on("request", request => asked.push(new URL(request.url())));

  await page.focus("#heat");
  await page.keyboard.press("+");
  await until(page, "zooming asks for no tiles", () => /: all of it\.$/.test(document.querySelector("#window").textContent) === false);
  await page.waitForTimeout(300);
  const tiles = asked.find(one => one.pathname === "/api/tiles");
  check("zooming does not ask for the window", tiles !== undefined && Number(tiles.searchParams.get("from")) > 0, String(tiles));
  check("the token is in a query", asked.every(one => !one.search.includes("token")));
  check("the token left the address", page.url().includes("token=") && /t=\d+-\d+/.test(page.url()), page.url());
  check("rows that the run has one of", await page.locator("input[value=host], input[value=communicator]").count() === 0);

  if (await page.isVisible("#sql")) {
    await page.fill("#sql-text", "SELECT count(*) AS n FROM operations");
    await page.click("#sql button");
    await until(page, "SQL gives no answer", () => /240|no DuckDB/.test(document.querySelector("#sql [role=status]").textContent));
    if (!/no DuckDB/.test(await text(page, "#sql [role=status]"))) {
      check("SQL: one number is plotted", await page.locator("#answer-plot").count() === 0);
      for (const [sql, label] of [["SELECT ordinal, avg(size_bytes) AS bytes FROM operations GROUP BY ordinal", "bytes by ordinal"],
        ["SELECT func, count(*) AS n FROM operations GROUP BY func UNION ALL SELECT 'another', 7", "n by func"]]) {
        await page.fill("#sql-text", sql);
        await page.click("#sql button");
        await until(page, `SQL: no plot of ${label}`, named => document.querySelector("#answer-plot")?.getAttribute("aria-label") === named &&
          document.querySelector("#answer-plot canvas") !== null, label);
        await page.waitForTimeout(200);
        check(`SQL: the plot of ${label} is empty`, await page.evaluate(() => {
          const canvas = document.querySelector("#answer-plot canvas");
          return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.filter((value, i) => i % 4 === 3 && value > 0).length > 500;
        }));
      }
      // Large numbers have room beside the plot, and bars are whole.
      await page.evaluate(() => {
        window.marks = [];
        const write = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
          if (this.canvas.closest("#answer-plot")) window.marks.push(String(text));
          return write.call(this, text, ...rest);
        };
      });
      await page.fill("#sql-text", "SELECT 'host ' || n AS host, 15000000000 AS bytes FROM generate_series(1, 3) AS t(n)");
      await page.click("#sql button");
      await until(page, "SQL: no plot of bytes by host", () => window.marks.includes("host 3"));
      const marks = (await page.evaluate(() => window.marks)).filter(mark => /\d/.test(mark) && !/^host/.test(mark));
      check("SQL: a number has no room", marks.includes("10 G") && marks.every(mark => mark.length < 8), marks.join());
      const widths = await page.evaluate(() => {  // of what is painted half way up, where it is wider than a line
        const canvas = document.querySelector("#answer-plot canvas"), row = canvas.getContext("2d").getImageData(0, Math.round(canvas.height * 0.45), canvas.width, 1).data;
        const runs = [0];
        for (let x = 0; x < canvas.width; ++x) if (row[4 * x + 3] > 0) ++runs[runs.length - 1]; else if (runs[runs.length - 1] > 0) runs.push(0);
        return runs.filter(width => width > 20);
      });
      check("SQL: bars are cut", widths.length === 3 && Math.max(...widths) - Math.min(...widths) < 4, widths.join());
    }
    // A line of evidence leads to its rows, by keyboard.
    const line = await text(page, "#finding-1 .evidence li");
    await page.focus("#finding-1 .evidence button.rows");
    await page.keyboard.press("Enter");
    await until(page, "evidence: its rows are not shown", () => /matches JOIN arrivals/.test(document.querySelector("#sql-text").value) &&
      /^\d+ rows in|no DuckDB/m.test(document.querySelector("#sql [role=status]").lastChild.textContent));
    check("evidence: the keyboard is elsewhere", await page.evaluate(() => document.activeElement.id) === "sql-text");
    const match = /; row (\d+), 4 ranks$/.exec(line)?.[1];
    check("evidence: another row", (await page.inputValue("#sql-text")).includes(`match = ${match} `), `${line} ${await page.inputValue("#sql-text")}`);
    if (!/no DuckDB/.test(await text(page, "#sql [role=status]")))
      check("evidence: not a row for each rank", await page.locator("#sql tbody tr").count() === 4 && await page.textContent("#sql tbody td") === match, await text(page, "#sql [role=status]"));
    check("evidence: the operation is no longer named", /^[A-Z]\w+ #\d+$/.test(await text(page, "#finding-1 .evidence button:not(.rows)")));

    await page.fill("#sql-text", "SELECT nonsense");
    await page.click("#sql button");
    await until(page, "SQL: a mistake is not told", () => /nonsense|no DuckDB/.test(document.querySelector("#sql [role=status]").textContent));
  } else check("no SQL box", false);

  for (const violation of await seriousViolations(page)) check("accessibility", false, violation);

  // To Perfetto's page: it gets the trace's bytes, and nothing before it has said PONG.
  const [opened] = await Promise.all([page.context().waitForEvent("page"), page.click("#perfetto")]);
  await opened.waitForFunction(() => window.received !== undefined, undefined, { timeout: 20000 }).catch(() => check("Perfetto's page receives no trace", false));
  check("what Perfetto's page receives", await opened.evaluate(() => window.received?.bytes > 1000 && window.received?.title.startsWith("lockstep")));
  // What this test makes itself: the mistake in SQL, the trace's page, and its own reading of canvases.
  const others = problems.filter(one => !one.includes(perfetto) && !/status of 400|Canvas2D/.test(one));
  check("console, or requests to others", others.length === 0, others.join("; "));
  await close();
}

{
  const { page, close } = await open(browser, url.replace(/token=.*/, "token=wrong"));
  check("a wrong token", /refuses this page's token \(401\)/.test(await text(page, "#page")), await text(page, "#page"));
  await close();
}

await browser.close();
process.exit(wrong);
