// The cells of the heat map by keyboard, in Chromium: node cells.mjs FOLDER, which has one report.html a run (page.sh makes them).
// Says what is wrong, one line each, and ends with 1 if anything is.
import { check, launch, open, seriousViolations, wrong } from "./browser.mjs";

const folder = process.argv[2];
const browser = await launch();

const on = async (name, use) => {
  const { page, problems, close } = await open(browser, `file://${folder}/${name}`);
  const text = selector => page.evaluate(one => document.querySelector(one).textContent, selector);
  const said = () => text(".heat .readout");
  // Presses the key and waits until what stands there is another.
  const press = async (key, where = ".heat .readout") => {
    const before = await text(where);
    await page.keyboard.press(key);
    await page.waitForFunction(([at, old]) => document.querySelector(at).textContent !== old, [where, before], { timeout: 5000 })
      .catch(() => check(`${name}: ${key} changes nothing in ${where}`, false, before));
    return said();
  };
  await page.focus("#heat");
  await use(page, press, said, text);
  check(`${name}: problems`, problems.length === 0, problems.join("; "));
  await close();
};
const timesOf = sentence => /^(?:Rank|Ranks) .*?, (.*?) to (.*?): in operations/.exec(sentence)?.slice(1) ?? [sentence];
const picture = page => page.evaluate(() => document.querySelector("#heat").toDataURL());

await on("straggler/report.html", async (page, press, said, text) => {
  const window = await text("#window"), plain = await picture(page);
  const first = await press("ArrowRight");
  check("the first key does not go where most is seen", /^Rank 2, .*made others wait (9\d|100) %/.test(first), first);
  check("no cell is marked", await picture(page) !== plain);
  check("it is not told to who does not see it", await page.getAttribute(".heat .readout", "aria-live") === "polite");
  const byMouse = await page.evaluate(() => {
    const canvas = document.querySelector("#heat"), box = canvas.getBoundingClientRect(), all = [];
    for (let y = 0; y < box.height; y += 5)
      for (let x = 0; x < box.width; ++x) {
        canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.x + x, clientY: box.y + y }));
        all.push(document.querySelector(".heat .readout").textContent);
      }
    return all;
  });
  check("the mouse says something else of that cell", byMouse.includes(first), first);
  const next = await press("ArrowRight");
  check("the next cell does not begin where that one ends", timesOf(next)[0] === timesOf(first)[1], `${first} ${next}`);
  check("and back", await press("ArrowLeft") === first, await said());
  check("the rank below", /^Rank 3, /.test(await press("ArrowDown")), await said());
  check("the window moved", await text("#window") === window, await text("#window"));
  check("below the last rank there is none", await page.keyboard.press("ArrowDown").then(said) === await said() && /^Rank 3, /.test(await said()), await said());
  await press("ArrowUp");
  check("the first cell of the rank", timesOf(await press("Home"))[0] === "0 ns" || /^Rank 2, 0 ns: nothing/.test(await said()), await said());
  await page.keyboard.press("ArrowLeft");
  check("before the first cell there is none", /^Rank 2, 0 ns/.test(await said()), await said());
  const last = await press("End");
  check("the last cell of the rank", /^Rank 2, /.test(last), last);

  // Closer, around the cell; and out of the window, which goes along.
  await page.keyboard.press("Home");
  for (let i = 0; i < 40; ++i) await page.keyboard.press("ArrowRight");
  const there = await said();
  await press("Enter", "#window");
  check("Enter loses the cell", await said() === there, `${there} ${await said()}`);
  await press("Shift+ArrowRight", "#window");
  const closer = await text("#window"), edge = await press("End");
  const beyond = await press("ArrowRight");
  check("the window does not go along", await text("#window") !== closer, closer);
  check("beyond the edge is not the next cell", timesOf(beyond)[0] === timesOf(edge)[1] || /nothing recorded/.test(beyond), `${edge} ${beyond}`);
  await press("+", "#window");
  const [from, to] = /t=(\d+)-(\d+)/.exec(page.url()).slice(1).map(Number);
  check("plus zooms elsewhere", await press("ArrowLeft") !== "" && to > from, page.url());
  for (const violation of await seriousViolations(page)) check("accessibility", false, violation);

  // A click is about another cell: the keyboard begins anew.
  await press("0", "#window");
  const box = await page.locator("#heat").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height - 40);
  await page.waitForFunction(() => !/all of it\.$/.test(document.querySelector("#window").textContent));
  const unmarked = await picture(page);
  await page.keyboard.press("ArrowRight");
  check("after a click no cell is marked", await picture(page) !== unmarked);
});

// Of many ranks a part is in view: it goes along up and down.
await on("many/report.html#r=40-47", async (page, press, said, text) => {
  check("not the rank that others wait for", /^Rank 45, /.test(await press("ArrowDown")), await said());
  await press("ArrowDown");
  await press("ArrowDown");
  check("the last in view", /^Rank 47, /.test(await said()), await said());
  await press("ArrowDown", "#window");
  await page.waitForFunction(() => /^Rank 48, /.test(document.querySelector(".heat .readout").textContent), undefined, { timeout: 5000 })
    .catch(async () => check("the rank below the window", false, await said()));
  check("the ranks in view", /, ranks 42 to 49\.$/.test(await text("#window")), await text("#window"));
});

// Rows may be hosts.
await on("slow-host/report.html#by=host", async (page, press, said) => {
  check("no host", /^node0001, first rank 4, last 7, .*\(most: rank \d\)/.test(await press("ArrowRight")), await said());
  check("not the next host", /^node0002, /.test(await press("ArrowDown")), await said());
});

await browser.close();
process.exit(wrong);
