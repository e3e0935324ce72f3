// Who sends how much to whom: one square per communicator that sends and receives, rows send, columns receive.
import { colour, make, section, sized } from "./dom";
import type { Peers, Run } from "./run";
import { drawNames } from "./time_axis";
import { bytes, counted } from "./words";

function matrix(peers: Peers): HTMLElement {
  const canvas = make("canvas", { class: "peers" });
  const readout = make("p", { class: "readout" });
  const most = Math.max(...peers.cells.map(cell => cell[2]), 1);
  const at = make("figure", {}, make("figcaption", {},
    `${peers.communicator}: darkest ${bytes(most)}` + (peers.ranks_per_cell > 1 ? `; a cell is ${peers.ranks_per_cell} x ${peers.ranks_per_cell} ranks` : "")), canvas, readout);
  const left = 66, top = 20;
  const side = Math.max(4, Math.min(28, Math.floor(400 / peers.side)));
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `Bytes sent between ${counted(peers.side, "group")} of ranks of ${peers.communicator}; the table "Pairs of ranks that send most" has the largest.`);
  requestAnimationFrame(() => {
    const context = sized(canvas, left + peers.side * side + 4, top + peers.side * side + 4);
    const ramp = colour("heat-busy").split(" ").join(",");
    for (const [from, to, sent] of peers.cells) {
      context.fillStyle = `rgba(${ramp},${(0.1 + 0.9 * Math.sqrt(sent / most)).toFixed(3)})`;
      context.fillRect(left + to * side, top + from * side, side - 1, side - 1);
    }
    context.strokeStyle = colour("line");
    context.strokeRect(left - 0.5, top - 0.5, peers.side * side + 1, peers.side * side + 1);
    drawNames(context, Array.from({ length: peers.side }, (_, i) => "rank " + i * peers.ranks_per_cell), top, side, left - 6);
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText("to rank 0 …", left, 10);
  });
  canvas.addEventListener("pointermove", event => {
    const to = Math.floor((event.offsetX - left) / side), from = Math.floor((event.offsetY - top) / side);
    const cell = peers.cells.find(one => one[0] === from && one[1] === to);
    const name = (i: number) => peers.ranks_per_cell === 1 ? "rank " + i : `ranks ${i * peers.ranks_per_cell} to ${(i + 1) * peers.ranks_per_cell - 1}`;
    if (from >= 0 && to >= 0 && from < peers.side && to < peers.side)
      readout.textContent = `From ${name(from)} to ${name(to)}: ${cell ? bytes(cell[2]) + " in " + counted(cell[3], "send") : "nothing"}.`;
  });
  return at;
}

export function peers(run: Run): HTMLElement | null {
  return run.peers.length === 0 ? null : section("peers", "Who sends to whom",
    make("p", {}, "By calls of send and receive, of which an all-to-all is made. Rows send, columns receive. Ranks are those of the communicator that is named."),
    make("div", { class: "figures" }, ...run.peers.map(matrix)));
}
