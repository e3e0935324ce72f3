// What stands below the heat map, in Chromium: node sections.mjs FOLDER, which has one report.html a run (page.sh makes them).
// Plots are drawn and say what they show; a drag zooms. Says what is wrong, one line each, and ends with 1 if anything is.
import { check, launch, open, wrong } from "./browser.mjs";

const folder = process.argv[2];
const browser = await launch();
const on = async (name, use) => {
  const { page, problems, close } = await open(browser, `file://${folder}/${name}/report.html`);
  const text = selector => page.evaluate(one => document.querySelector(one)?.textContent ?? "", selector);
  await use(page, text);
  const others = problems.filter(one => !/Canvas2D/.test(one));
  check(`${name}: problems`, others.length === 0, others.join("; "));
  await close();
};
// How many pixels of a canvas are near a colour of the page.
const inColour = (page, selector, name) => page.evaluate(([where, variable]) => {
  const probe = document.createElement("span");
  probe.style.color = `var(--${variable})`;
  document.body.append(probe);
  const [r, g, b] = getComputedStyle(probe).color.match(/\d+/g).map(Number);
  probe.remove();
  const canvas = document.querySelector(where);
  if (canvas === null) return 0;
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4)
    if (data[i + 3] > 100 && Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 40) ++count;
  return count;
}, [selector, name]);

// Four ranks that send each other as much in 65 all-to-alls: every cell is as dark, and says what it is.
await on("alltoall", async (page, text) => {
  await page.locator("canvas.peers").scrollIntoViewIfNeeded();
  const box = await page.locator("canvas.peers").boundingBox();
  const said = new Set();
  for (let y = 24; y < box.height; y += 14)
    for (let x = 70; x < box.width; x += 14) {
      await page.hover("canvas.peers", { position: { x, y } });
      said.add(await text("#peers .readout"));
    }
  said.delete("");
  check("peers: not a sentence for each pair", said.size === 16 && [...said].every(one => /^From rank [0-3] to rank [0-3]: 520 KiB in 65 sends\.$/.test(one)), [...said].join(" "));
  check("bandwidth: what is drawn is not said", /AlltoAll, 4 ranks/.test(await text("#bandwidths")), await text("#bandwidths"));
});

// A slow host: the critical path by step, bandwidth with what is expected, the clocks' band.
await on("slow-host", async (page, text) => {
  check("critical path: no line of the time between operations", await inColour(page, "#steps-plot canvas", "series-1") > 100);
  check("critical path: nothing could be won", /all ranks of node0001/.test(await text("#critical-path")));
  check("bandwidth: nothing is drawn", await inColour(page, "#bandwidths canvas", "series-1") > 200);
  check("bandwidth: nothing is expected", /AllReduce on world, expected/.test(await text("#bandwidths")), await text("#bandwidths"));
  check("clock: no band", await inColour(page, "#clock-plot canvas", "series-4") > 100);
  check("trend: no waiting", await inColour(page, "#trend-plot canvas", "series-2") > 50);
  check("trend: it is not said", /^Of the time in operations, ranks waited \d+\s% in the first third of the run, \d+\s% in the second and \d+\s% in the last\.$/.test(await text("#trend p")), await text("#trend p"));
  check("operations: no arrow", await inColour(page, "#timeline", "bad") > 30);
  check("operations: nobody waits", await inColour(page, "#timeline", "wait") > 200);
  check("operations: no transfer", await inColour(page, "#timeline", "transfer") > 200);

  // Over the middle of the map and the ranks of the second host.
  await page.locator("#heat").scrollIntoViewIfNeeded();
  const box = await page.locator("#heat").boundingBox(), row = (box.height - 22) / 17.5;
  const at = (share, rank) => [box.x + share * box.width, box.y + box.height - 22 - (16 - rank - 0.5) * row];
  const before = await text("#window");
  await page.mouse.move(...at(0.6, 4));
  await page.mouse.down();
  await page.mouse.move(...at(0.7, 7), { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(old => document.querySelector("#window").textContent !== old, before, { timeout: 5000 }).catch(() => check("a drag does nothing", false));
  check("a drag: not what it covered", /^Shown: 4\d\d\sms to 5\d\d\sms, ranks 4 to 7\.$/.test(await text("#window")), await text("#window"));

  // Much closer, the clocks' uncertainty stands below the arrivals.
  const ops = await page.evaluate(() => {
    const { columns, rows } = JSON.parse(document.getElementById("lockstep-ops").textContent);
    return rows.map(one => Object.fromEntries(columns.map((name, i) => [name, one[i]])));
  });
  const late = ops.filter(op => op.rank === 5 && op.wait_ns === 0 && op.error_ns > 0)[0] ?? ops.filter(op => op.error_ns > 0)[0];
  const wide = await text("#window");
  await page.evaluate(([from, to]) => location.hash = `t=${from}-${to}&r=0-15`, [late.arrival_ns - 2000, late.arrival_ns + 2000]);
  await page.waitForFunction(old => document.querySelector("#window").textContent !== old, wide, { timeout: 5000 }).catch(() => check("a link does nothing", false));
  await page.waitForTimeout(200);
  check("operations: no uncertainty is drawn", await inColour(page, "#timeline", "ink") > 20, late.error_ns);
});
// Two communicators of as many ranks, of which a slow network edge makes one slow all the time: each has an expectation of its
// own, which the plot says over their size.
await on("two-groups", async (page, text) => {
  const { expected } = JSON.parse(await text("#lockstep-data"));
  const rows = expected.filter(row => /^dp /.test(row.communicator));
  check("bandwidth: what the two communicators are to do differs little", rows.length === 2 && rows.every(row => row.nranks === 4) &&
    Math.abs(Math.log(rows[0].busbw_gbs / rows[1].busbw_gbs)) > 0.3, JSON.stringify(rows));
  await page.locator("#bandwidths").scrollIntoViewIfNeeded();
  const box = await page.locator("#bandwidths .u-over").boundingBox();
  await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);  // over the largest size
  await page.waitForFunction(() => /\d GB\/s/.test(document.querySelector("#bandwidths .u-legend").textContent), undefined, { timeout: 5000 }).catch(() => {});
  const said = await page.evaluate(() => Object.fromEntries([...document.querySelectorAll("#bandwidths .u-series")]
    .map(row => [row.querySelector(".u-label").textContent, row.querySelector(".u-value")?.textContent])));
  for (const row of rows) {
    const name = `AllReduce on ${row.communicator}, expected`, gbs = row.busbw_gbs.toPrecision(3) + " GB/s";
    check(`bandwidth: ${name} is not ${gbs}`, said[name] === gbs, JSON.stringify(said));
  }
});
await browser.close();
process.exit(wrong);
