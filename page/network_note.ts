// What the page says of network operations and steps beneath operations: what the colours mean, what is left out, and why
// there are none.
import { make, words } from "./dom";
import { kMostBands, kMostInFlight, type NetworkLanes } from "./network_lanes";
import { kStates, type NetworkSteps, type State } from "./network_steps";
import { type Op, readyOf } from "./run";
import type { View } from "./view";
import { counted } from "./words";

const kWide = 1 / 6;  // of the view: then there is room for the steps of an operation
export const kMostNs = 10e9;  // of time that /api/steps takes

// Whether an operation takes so much of the view that what the network did for it can be seen.
export function isWide(ops: Op[], view: View): boolean {
  const length = view.to - view.from;
  return ops.some(op => Math.min(op.end_ns ?? view.to, view.to) - Math.max(readyOf(op), view.from) >= length * kWide);
}

function notRecorded(found: NetworkSteps): string {
  if (!found.operationsRecorded && found.operations.length === 0) return "What the network did for these operations was not recorded (`LOCKSTEP_EVENTS=step` records it).";
  if (found.operations.length === 0) return "The network did nothing here, as far as is recorded.";
  if (found.steps.length > 0) return "";
  return found.stepsRecorded ? "No network step is recorded here." : "Their network steps were not recorded (`LOCKSTEP_EVENTS=step` records them).";
}

function leftOut(found: NetworkSteps, lanes: NetworkLanes): string {
  const more = [
    found.operationsLeftOut > 0 ? counted(found.operationsLeftOut, "network operation") : "",
    found.stepsLeftOut > 0 ? counted(found.stepsLeftOut, "step") : "",
    lanes.lanesLeftOut > 0 ? counted(lanes.lanesLeftOut, "channel and direction", "channels and directions") : "",
  ].filter(part => part !== "");
  return (more.length === 0 ? "" : ` Left out: ${more.join(", ")}; a shorter time or fewer ranks show more.`) +
    (lanes.operationsCut === 0 ? "" : ` ${counted(lanes.operationsCut, "network operation")} posted behind ${kMostBands} others ${lanes.operationsCut === 1 ? "begins" : "begin"} here where one of those ended.`) +
    (lanes.operationsLeftOut === 0 ? "" : ` Left out: ${counted(lanes.operationsLeftOut, "network operation")} posted behind ${kMostBands} others.`) +
    (lanes.stepsLeftOut === 0 ? "" : ` Left out: ${counted(lanes.stepsLeftOut, "step")}, each beside ${kMostInFlight} others in flight.`);
}

// `found`: null in a file.
export function networkNote(found: NetworkSteps | null, lanes: NetworkLanes): (Node | string)[] {
  if (found === null) return words("What the network did for a single operation, step by step, is shown by `lockstep serve`, where it was recorded.");
  const drawn = found.operations.length === 0 ? "" : "Beneath a rank: its network operations (grey) by channel and direction" +
    (found.steps.length > 0 ? ", and on them their steps." : ".");
  const sentences = [drawn, notRecorded(found)].filter(sentence => sentence !== "").join(" ") + leftOut(found, lanes);
  const states = (Object.keys(kStates) as State[]).filter(state => lanes.states.has(state));
  return [...words(sentences), ...states.flatMap(state => [" ", make("span", { class: "state" }, make("span", { class: "chip chip-" + state }), kStates[state])])];
}
