// The page on paper, in Chromium: node paper.mjs FOLDER, which has one report.html a run (page.sh makes them). It is printed
// from a dark screen wider than paper. Says what is wrong, one line each, and ends with 1 if anything is.
import { check, launch, open, wrong } from "./browser.mjs";

const folder = process.argv[2];
const browser = await launch();

for (const name of ["straggler", "slow-host"]) {
  const { page, problems, close } = await open(browser, `file://${folder}/${name}/report.html`);
  await page.click("#theme");
  const look = () => page.evaluate(() => ({
    theme: document.documentElement.dataset.theme, wide: document.querySelector("#heat").offsetWidth,
    cut: [...document.querySelectorAll(".plot")].filter(plot => plot.querySelector("canvas").offsetWidth > plot.clientWidth).map(plot => plot.id),
  }));
  const before = await look();
  check(`${name}: the screen is not dark and wide`, before.theme === "dark" && before.wide > 1000, before);
  await page.evaluate(() => addEventListener("beforeprint", () => queueMicrotask(() => queueMicrotask(() => {
    window.printed = {
      theme: document.documentElement.dataset.theme, widest: Math.max(...[...document.querySelectorAll("canvas")].map(one => one.offsetWidth)),
      cut: [...document.querySelectorAll(".plot")].filter(plot => plot.querySelector("canvas").offsetWidth > plot.clientWidth).map(plot => plot.id),
      empty: [...document.querySelectorAll("canvas")].filter(one => !one.hidden && one.offsetWidth > 0 &&
        !one.getContext("2d").getImageData(0, 0, one.width, one.height).data.some(value => value > 0)).length,
    };
  }))));
  await page.pdf();
  const printed = await page.evaluate(() => window.printed);
  check(`${name}: printed in the dark`, printed.theme === "light", printed);
  check(`${name}: cut off at the paper's edge`, printed.widest <= 720 && printed.cut.length === 0, printed);
  check(`${name}: canvases without a picture`, printed.empty === 0, printed);
  await page.waitForTimeout(100);
  const after = await look();
  check(`${name}: the screen is not as it was`, JSON.stringify(after) === JSON.stringify(before), [before, after]);

  await page.emulateMedia({ media: "print" });
  const evidence = await page.evaluate(() => document.querySelector("#finding-1 .evidence").innerText);
  check(`${name}: the evidence has no operations`, /in AllReduce #\d+, rank \d+ arrived/.test(evidence), evidence);
  const others = problems.filter(one => !/Canvas2D/.test(one));
  check(`${name}: problems`, others.length === 0, others);
  await close();
}
await browser.close();
process.exit(wrong);
