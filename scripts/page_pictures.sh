#!/usr/bin/env bash
# The pictures of docs/viewer.md and docs/report.md, from a simulated job of 32 ranks on 4 hosts with one late rank:
# scripts/page_pictures.sh. Needs what test/report/page.sh needs.
set -euo pipefail
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$BUILD/lockstep-simulate" --seed 1 --ranks 32 --gpus-per-host 8 --schedule ddp --noise quiet --class late-rank --rank 13 --size 0.4 \
  --steps 24 "$work/job" >/dev/null
(cd "$work" && "$OLDPWD/$BUILD/lockstep" report job >/dev/null)
cat >"$work/pictures.mjs" <<JS
import { launch, open } from "$PWD/test/report/browser.mjs";
const browser = await launch();
const picture = async (file, address, options, part, height) => {
  const { page, close } = await open(browser, "file://$work/job/report.html" + address, options);
  const at = part ? await page.locator(part).boundingBox() : null;
  await page.screenshot({ path: "$PWD/docs/" + file, ...(at ? { clip: { x: 0, y: at.y, width: options.width, height: height }, fullPage: true } : {}) });
  await close();
};
await picture("report.png", "", { width: 1100, height: 860 });
await picture("viewer-ranks.png", "", { width: 1100, height: 900, dark: true }, "#ranks", 660);
await picture("viewer-operations.png", "#t=470000000-500000000&r=8-15", { width: 1100, height: 900 }, "#ranks", 790);
await browser.close();
JS
node "$work/pictures.mjs"
