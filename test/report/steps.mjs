// Network steps beneath the operations of a served run in Chromium: node steps.mjs URL URL_WITHOUT_STEPS FILE FROM TO; between the two
// instants is an operation of rank 1. Says what is wrong, one line each, and ends with 1 if anything is.
import { check, launch, open, seriousViolations, wrong } from "./browser.mjs";

const [url, without, file, from, to] = process.argv.slice(2);
const browser = await launch();
const window = (begin, end, ranks = "1-1") => `t=${Math.round(begin)}-${Math.round(end)}&r=${ranks}`;
const narrow = window(Number(from), Number(to));
const text = (page, selector) => page.evaluate(name => document.querySelector(name)?.textContent ?? "", selector);
const note = (page, words) => page.waitForFunction(said => new RegExp(said).test(document.querySelector("#network-note").textContent), words, { timeout: 20000 })
  .then(() => true, async () => (check(`the page does not say "${words}"`, false, await text(page, "#network-note")), false));
const readout = page => text(page, "#timeline + .readout");
const press = async (page, key) => {
  await page.keyboard.press(key);
  return readout(page);
};

// Who follows the link sees what was chosen.
const stays = async (page, name) => {
  const chosen = await readout(page);
  await page.reload();
  await page.waitForFunction(said => document.querySelector("#timeline + .readout")?.textContent === said, chosen, { timeout: 20000 })
    .catch(async () => check(`the link does not bring back ${name}`, false, `${chosen} ${await readout(page)} ${page.url()}`));
};

for (const options of [{}, { width: 380, dark: true }]) {
  const { page, problems, close } = await open(browser, `${url}&${narrow}`, options);
  await note(page, "Beneath a rank: its network operations .* and on them their steps.*in the network.*waiting for data");
  check("the link does not restore the view", page.url().includes(narrow), page.url());
  await page.evaluate(() => {
    window.names = [];
    const write = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
      if (this.canvas.id === "timeline") window.names.push(text);
      return write.call(this, text, ...rest);
    };
  });
  await page.click("#theme");  // all is drawn again
  await page.waitForFunction(() => window.names.length > 0);
  const names = await page.evaluate(() => window.names);
  check("lanes have no names", names.includes("ch 0 send") && names.includes("ch 0 receive") && names.indexOf("ch 0 send") < names.indexOf("ch 0 receive"), names.join());

  // By keyboard: from an operation down to its network operation, on to its steps, to the other direction, and back.
  await page.focus("#timeline");
  const operation = await press(page, "ArrowRight");
  const name = /^\w+ #\d+/.exec(operation)?.[0];
  check("keyboard: an operation first", name !== undefined, operation);
  const below = await press(page, "ArrowDown");
  check("keyboard: below it is its network operation", new RegExp(`^Network operation of ${name}: rank 1 sends to rank \\d of .* on channel 0; it began at .* and took .*, with \\d+ steps? in view`).test(below), below);
  const step = await press(page, "ArrowRight");
  check("keyboard: then its steps", /^Step \d+ of \w+ #\d+: rank 1 sends to rank \d .* on channel 0, .*: it began at .* and took .*: .*waiting for the GPU.*in the network/.test(step.replace("; it", ": it")), step);
  const received = await press(page, "ArrowDown");
  check("keyboard: then those that it receives", /^Step \d+ of .* receives from rank .*waiting for data/.test(received), received);
  await press(page, "ArrowUp");
  check("keyboard: up again is the operation", await press(page, "ArrowUp") === operation, await readout(page));
  check("the keys moved the window", page.url().includes(narrow), page.url());

  // By mouse: what it points at is told, what it clicks stays.
  const box = await page.locator("#timeline").boundingBox();
  const gutter = options.width ? 68 : 84, middle = gutter + (box.width - gutter) / 2;
  await page.mouse.move(box.x + middle, box.y + 24 + 5);
  const pointed = await page.getAttribute("#timeline", "title");
  check("the mouse: no words of what it points at", /^(Step|Network operation)/.test(pointed), pointed);
  await page.mouse.click(box.x + middle, box.y + 24 + 5);
  check("the mouse: a click chooses something else", await readout(page) === pointed, `${pointed} ${await readout(page)}`);
  await stays(page, "what the network did");
  await page.focus("#timeline");
  await press(page, "ArrowUp");
  await press(page, "ArrowRight");
  check("an operation is chosen", /^\w+ #\d+ of .*: rank 1 arrived/.test(await readout(page)), await readout(page));
  await stays(page, "an operation");
  for (const violation of await seriousViolations(page)) check("accessibility", false, violation);
  check("the page is wider than the screen", await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  check("console, or requests to others", problems.filter(one => !/Canvas2D/.test(one)).length === 0, problems.join("; "));

  // Of operations that are too narrow there is nothing to see.
  await page.focus("#timeline");
  await page.keyboard.press("0");
  await page.waitForFunction(() => document.querySelector("#network-note").textContent === "", undefined, { timeout: 20000 }).catch(() => check("steps of all of the run", false));
  await close();
}
{
  const { page, close } = await open(browser, `${without}&${narrow}`);
  await note(page, "^Beneath a rank: its network operations \\(grey\\) by channel and direction\\. Their network steps were not recorded \\(LOCKSTEP_EVENTS=step records them\\)\\. Left out: \\d+ network operations posted behind 2 others\\.$");
  await close();
}
{
  const { page, close } = await open(browser, `file://${file}#${narrow}`);
  await note(page, "^What the network did for a single operation, step by step, is shown by lockstep serve, where it was recorded\\.$");
  await close();
}

await browser.close();
process.exit(wrong);
