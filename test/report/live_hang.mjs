// The page of a job that hangs, in Chromium: node live_hang.mjs URL; rank 1 of four never comes. Says what is wrong, one line each,
// and ends with 1 if anything is.
import { check, launch, open, wrong } from "./browser.mjs";

const browser = await launch();
const { page, problems, close } = await open(browser, process.argv[2]);
const text = selector => page.evaluate(name => document.querySelector(name)?.textContent ?? "", selector);
const until = (what, test, argument) => page.waitForFunction(test, argument, { timeout: 60000 }).catch(async () => check(what, false, await text("#page")));
const seconds = async () => Number(/have been waiting for ([\d.]+)\ss\.$/.exec(await text("h1"))?.[1]);

await until("it does not say that it hangs", () => /^Rank 1 on .* never called .*; 3 ranks have been waiting for [\d.]+\ss\.$/.test(document.querySelector("h1").textContent));
const first = await seconds();
await until("the hang does not become longer", old => Number(/waiting for ([\d.]+)\ss\.$/.exec(document.querySelector("h1").textContent)?.[1]) > old + 3, first);
// What the heat map has at the end of what is shown: with no record there it is grey.
const asked = await page.evaluate(async () => {
  const ask = path => fetch(path, { headers: { Authorization: "Bearer " + /token=([^&]+)/.exec(location.hash)[1] } });
  const run = await (await ask("api/run")).json();
  // But for its last second, in which processes are heard of one after another.
  const data = new DataView(await (await ask(`api/tiles?from=${run.serve.to_ns - 3e9}&to=${run.serve.to_ns - 1e9}&columns=64`)).arrayBuffer());
  const rows = data.getUint32(8, true), columns = data.getUint32(12, true);
  const unknown = Array.from({ length: rows * columns }, (_, i) => data.getUint16(64 + 8 * rows + 16 * i + 6, true) & 1).filter(Boolean).length;
  return { length: run.length_ns, tiles: run.serve.to_ns, cells: rows * columns, unknown };
});
check("the heat map ends long before the run", asked.length - asked.tiles < 2.5e9, JSON.stringify(asked));
check("the heat map is grey where ranks wait", asked.cells > 0 && asked.unknown === 0, JSON.stringify(asked));
check("nobody is waited for", /^Others waited most for rank 1 \([4-9]\d\s% of the time in view\)/.test(await text("#waited-for")), await text("#waited-for"));
check("console, or requests to others", problems.length === 0, problems.join("; "));
await close();
await browser.close();
process.exit(wrong);
