#!/usr/bin/env bash
# The pictures of docs/viewer.md and docs/report.md, from a simulated job of 32 ranks on 4 hosts with one late rank, one whose network is
# slow for a while and one with a slow link: scripts/page_pictures.sh. Needs what test/report/page.sh needs.
set -euo pipefail
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT

"$BUILD/lockstep-simulate" --seed 1 --ranks 32 --gpus-per-host 8 --schedule ddp --noise quiet --class late-rank --rank 13 --size 0.4 \
  --steps 24 "$work/job" >/dev/null
"$BUILD/lockstep-simulate" --seed 3 --ranks 12 --gpus-per-host 4 --class slow-network-bursts --size 2 --events step --steps 24 "$work/network" >/dev/null
"$BUILD/lockstep-simulate" --seed 2 --ranks 16 --gpus-per-host 1 --schedule 1f1b --noise quiet --pp 8 --tp 1 --activation-bytes 16M --class slow-link \
  --size 12 --steps 16 "$work/pipeline" >/dev/null
for run in job network pipeline; do (cd "$work" && "$OLDPWD/$BUILD/lockstep" report $run >/dev/null) done
pair=$(sed -n 's/.*"communicator":"\(pp (0x[0-9a-f]*)\)","from":1,"to":2.*/\1/p' "$work/pipeline/report.html" | head -1)
# Network steps are on a served page alone.
LOCKSTEP_HOST_LOAD=0 XDG_CACHE_HOME=$work/cache "$BUILD/lockstep" serve "$work/network" >"$work/banner" &
server=$!
until [ -s "$work/banner" ]; do kill -0 "$server"; sleep 0.1; done
served=$(head -1 "$work/banner" | awk '{ print $NF }')
cat >"$work/pictures.mjs" <<JS
import { launch, open } from "$PWD/test/report/browser.mjs";
const browser = await launch();
const picture = async (file, address, options, part, height, run = "job") => {
  const { page, close } = await open(browser, run === "served" ? "$served" + address : "file://$work/" + run + "/report.html" + address, options);
  await page.waitForTimeout(200);
  await page.evaluate(() => scrollTo(0, 0));  // a link leads to what it marks
  const at = part ? await page.locator(part).boundingBox() : null;
  await page.screenshot({ path: "$PWD/docs/" + file, ...(at ? { clip: { x: 0, y: at.y, width: options.width, height: height }, fullPage: true } : {}) });
  await close();
};
await picture("report.png", "", { width: 1100, height: 860 });
await picture("viewer-ranks.png", "", { width: 1100, height: 900, dark: true }, "#ranks", 660);
await picture("viewer-operations.png", "#t=470000000-500000000&r=8-15", { width: 1100, height: 900 }, "#ranks", 860);
await picture("viewer-steps.png", "&t=765000000-773000000&r=3-4", { width: 1100, height: 900 }, "#network-note", 340, "served");
await picture("viewer-bandwidth.png", "#size=AllReduce-12-33554432", { width: 1100, height: 900 }, "#bandwidth", 460, "network");
await picture("viewer-peers.png", "#pair=1-2-$pair", { width: 1100, height: 900, dark: true }, "#peers", 420, "pipeline");
await browser.close();
JS
node "$work/pictures.mjs"
