// The list of a folder's runs while a job begins and ends there, in Chromium: node folder_goes_on.mjs URL RUN SERVER COMMAND...: the
// banner's URL, the directory of the job to come, the server's pid, which ends at last, and what the job is. Says what is wrong, one
// line each, and ends with 1 if anything is.
import { spawn } from "node:child_process";
import { basename } from "node:path";
import { check, launch, open, wrong } from "./browser.mjs";

const [url, run, server, ...command] = process.argv.slice(2);
const name = basename(run);
const browser = await launch();
const { page, problems, close } = await open(browser, url);
const rows = () => page.$$eval("tbody tr", all => all.map(row => [...row.children].map(cell => cell.textContent)));
const row = async () => (await rows()).find(([first]) => first === name) ?? [];
const until = (what, test, ...argument) => page.waitForFunction(test, [name, ...argument], { timeout: 60000 }).catch(async () => check(what, false, (await rows()).join(" | ")));
const said = ([name, column, value]) => [...document.querySelectorAll("tbody tr")].find(one => one.children[0].textContent === name)?.children[column].textContent === value;

const before = (await rows()).length;
const job = spawn(command[0], command.slice(1), { env: { ...process.env, LOCKSTEP_ENABLE: "1", LOCKSTEP_DIR: run }, stdio: "ignore", detached: true });
await until("a job that begins is not in the list", said, 3, "running");
await page.waitForFunction(count => document.querySelector("h1").textContent.startsWith(count + " runs in "), before + 1, { timeout: 60000 })
  .catch(async () => check("the heading does not count it", false, await page.textContent("h1")));
check("it has a verdict that nobody gave", (await row())[1] === "not looked at yet", (await row())[1]);

// Who tabs along the list keeps the place.
await page.focus("tbody a");
process.kill(-job.pid, "SIGKILL");
const asked = () => page.waitForResponse(one => one.url().endsWith("/api/run"));
await asked();
await asked();
check("the keyboard is elsewhere", await page.evaluate(() => document.activeElement === document.querySelector("tbody a")));
await page.evaluate(() => document.activeElement.blur());
await page.waitForFunction(name => [...document.querySelectorAll("tbody tr")].find(one => one.children[0].textContent === name).children[3].textContent !== "running", name, { timeout: 60000 })
  .catch(async () => check("a job that has ended runs in the list", false, (await row()).join(" | ")));

// Somebody else looks at it.
const other = await open(browser, url.replace("#", `runs/${name}/#`));
const verdict = await other.page.evaluate(() => document.querySelector(".badge").textContent + ": " + document.querySelector("h1").textContent.replaceAll("\u00a0", " "));
await other.close();
await until("its verdict is not in the list", said, 1, verdict);
check("said or asked", problems.length === 0, problems.join("; "));

process.kill(Number(server));
await page.waitForFunction(() => /^The server does not answer/.test(document.querySelector(".said").textContent), undefined, { timeout: 60000 })
  .catch(async () => check("a server that has ended is not missed", false, await page.textContent("main")));
await close();
await browser.close();
process.exit(wrong);
