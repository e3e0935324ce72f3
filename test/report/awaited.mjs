// The page of a directory that a job will fill, in Chromium: node awaited.mjs URL GO; the file GO is removed once the page waits,
// and then the job begins. Says what is wrong, one line each, and ends with 1 if anything is.
import { rmSync } from "node:fs";
import { check, launch, open, seriousViolations, wrong } from "./browser.mjs";

const [url, go] = process.argv.slice(2);
const browser = await launch();
const { page, problems, close } = await open(browser, url, { width: 380 });
const text = selector => page.evaluate(name => document.querySelector(name)?.textContent ?? "", selector);
const until = (what, test, argument) => page.waitForFunction(test, argument, { timeout: 60000 }).catch(async () => check(what, false, await text("#page")));

check("it does not say that it waits", await text("[role=status]") === "No records yet; waiting for the first.", await text("#page"));
check("wider than the screen", await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
for (const violation of await seriousViolations(page)) check("accessibility", false, violation);
// Asked again, it says nothing anew to who has it read out.
await page.evaluate(() => new MutationObserver(() => window.changed = true).observe(document.querySelector("#page"), { subtree: true, childList: true, characterData: true }));
for (let i = 0; i < 2; ++i) await page.waitForResponse(answer => answer.url().endsWith("/api/run"));
check("what is the same is said again", await page.evaluate(() => window.changed !== true));
rmSync(go);

await until("the run does not come", () => document.querySelector("#heat") !== null && /2 processes/.test(document.querySelector(".facts")?.textContent ?? ""));
await until("it is not followed", () => /^Live: what was recorded until /.test(document.querySelector("#live span").textContent));
const before = await text(".facts");
await until("it does not grow", old => document.querySelector(".facts").textContent !== old, before);
check("console, or requests to others", problems.length === 0, problems.join("; "));
await close();
await browser.close();
process.exit(wrong);
