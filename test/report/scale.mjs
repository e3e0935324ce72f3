// The page of a large served run in Chromium: node scale.mjs URL. Prints "FIRST_PAINT_MS PAGE_MIB": from asking for the page
// until the heat map is drawn, and the memory of the process that holds it.
import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { launch } from "./browser.mjs";

const browser = await launch();
const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
const begun = performance.now();
await page.goto(process.argv[2]);
await page.waitForFunction(() => {
  const canvas = document.querySelector("#heat");
  if (canvas === null || canvas.hidden || canvas.width === 0) return false;
  return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((value, i) => i % 4 === 3 && value > 0);
}, undefined, { timeout: 60000 });
const paintedMs = performance.now() - begun;
// The renderer with most memory is the page's; Chromium keeps a spare one.
const all = [String(process.pid)];
for (const parent of all) {
  try {
    all.push(...execFileSync("pgrep", ["-P", parent], { encoding: "utf8" }).split("\n").filter(Boolean));
  } catch { /* it has no children */ }
}
let mib = 0;
for (const pid of all) {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer")) continue;
    const kib = Number(/Pss_Anon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0);
    mib = Math.max(mib, kib / 1024);
  } catch { /* it ended */ }
}
console.log(Math.round(paintedMs), Math.round(mib));
await browser.close();
