// The page of a job that hung, in Chromium: node kept.mjs URL. It has what was found while the job ran, and where its ranks stood.
// Says what is wrong, one line each, and ends with 1 if anything is.
import { check, launch, open, seriousViolations, wrong } from "./browser.mjs";

const browser = await launch();
const { page, problems, close } = await open(browser, process.argv[2]);
const text = selector => page.evaluate(name => document.querySelector(name)?.textContent ?? "", selector);
check("what was found is not there", /^missing rank \(\d+ % sure\): .*rank 1 never called it/.test(await text("#found-live li")), await text("#findings"));
check("it does not say of when it is", /By lockstep diagnose --live, 20\d\d-.* UTC\./.test(await text("#findings")), await text("#findings"));
check("stacks: it does not say that they are of then", /when somebody asked for them last/.test(await text("#stacks p")), await text("#stacks p"));
await page.click("#ask-stacks");
await page.waitForFunction(() => /1 of 1 host answered/.test(document.querySelector("#stacks [role=status]").textContent), undefined, { timeout: 10000 })
  .catch(async () => check("stacks: nothing is shown", false, await text("#stacks")));
check("stacks: no rank is named", /ranks? \d/.test(await text("#stacks ul")), await text("#stacks"));
for (const violation of await seriousViolations(page)) check("accessibility", false, violation);
check("console, or requests to others", problems.length === 0, problems.join("; "));
await close();
await browser.close();
process.exit(wrong);
