// What the network did for operations: network operations of the proxy threads, by channel and direction, and their steps, as
// /api/steps gives them, and what is said of each.
import { type RowsAnswer, rowsOf } from "./run";
import { bytes, counted, duration, instant } from "./words";

export interface NetworkOperation {
  rank: number;
  comm: string;
  func: string;  // empty: it works for an operation of another process, or one that is not known
  ordinal: number | null;
  id: number | null;  // of the operation
  channel: number;
  direction: "send" | "receive";
  peer: number | null;  // in the communicator
  start_ns: number;
  end_ns: number | null;  // null: no end is recorded
}

export interface NetworkStep {
  network_operation: number;  // in NetworkSteps.operations
  step: number;
  start_ns: number;
  end_ns: number | null;
  bytes: number;
  retries: number;
  gpu_wait_ns: number | null;
  peer_wait_ns: number | null;
  network_ns: number | null;
  receive_wait_ns: number | null;
  flush_ns: number | null;
  last_state: string;
}

export interface NetworkSteps {
  operations: NetworkOperation[];
  steps: NetworkStep[];
  operationsLeftOut: number;
  stepsLeftOut: number;
  operationsRecorded: boolean;
  stepsRecorded: boolean;
}

export interface StepsAnswer {
  network_operations: RowsAnswer;
  steps: RowsAnswer;
  operations_left_out: number;
  steps_left_out: number;
  operations_recorded: boolean;
  steps_recorded: boolean;
}

export function networkStepsOf(answer: StepsAnswer): NetworkSteps {
  return {
    operations: rowsOf(answer.network_operations), steps: rowsOf(answer.steps),
    operationsLeftOut: answer.operations_left_out, stepsLeftOut: answer.steps_left_out,
    operationsRecorded: answer.operations_recorded, stepsRecorded: answer.steps_recorded,
  };
}

export type State = "posting" | "gpu" | "peer" | "network" | "data" | "flush";
// In the legend, and behind a time: "3 us waiting for the GPU".
export const kStates: Record<State, string> = {
  posting: "getting ready", gpu: "waiting for the GPU", peer: "waiting for the peer to take data", network: "in the network",
  data: "waiting for data", flush: "flushing to the GPU",
};
const kOfRecords: Record<string, State> = {
  SendGPUWait: "gpu", SendPeerWait: "peer", SendWait: "network", RecvWait: "data", RecvFlushWait: "flush", RecvGPUWait: "gpu",
};

export interface Part {
  state: State;
  ns: number;  // Infinity: no end is recorded
}

// The states of a step in the order in which they follow each other.
export function partsOf(step: NetworkStep, direction: "send" | "receive"): Part[] {
  const gpu: [State, number | null] = ["gpu", step.gpu_wait_ns];
  const known: [State, number | null][] = direction === "send" ? [gpu, ["peer", step.peer_wait_ns], ["network", step.network_ns]]
    : [["data", step.receive_wait_ns], ["flush", step.flush_ns], gpu];
  const parts = known.filter((one): one is [State, number] => one[1] !== null).map(([state, ns]) => ({ state, ns }));
  if (step.end_ns === null) return [...parts, { state: kOfRecords[step.last_state] ?? "posting", ns: Infinity }];
  const posting = step.end_ns - step.start_ns - parts.reduce((sum, part) => sum + part.ns, 0);
  return posting > 0 ? [{ state: "posting", ns: posting }, ...parts] : parts;
}

function wayOf(op: NetworkOperation): string {
  const peer = op.peer === null ? "" : ` ${op.direction === "send" ? "to" : "from"} rank ${op.peer}${op.comm ? " of " + op.comm : ""}`;
  return `rank ${op.rank} ${op.direction === "send" ? "sends" : "receives"}${peer} on channel ${op.channel}`;
}

function worksFor(op: NetworkOperation): string {
  return op.func === "" ? "an operation that is not known here" : `${op.func} #${op.ordinal}`;
}

function spanOf(start: number, end: number | null): string {
  const at = (ns: number) => instant(ns, Math.max(1, (end ?? Infinity) - start));
  return end === null ? `it began at ${at(start)}, and no end is recorded` : `it began at ${at(start)} and took ${duration(end - start)}`;
}

export function sentenceOfOperation(op: NetworkOperation, steps: number): string {
  return `Network operation of ${worksFor(op)}: ${wayOf(op)}; ${spanOf(op.start_ns, op.end_ns)}` +
    (steps === 0 ? "." : `, with ${counted(steps, "step")} in view.`);
}

export function sentenceOfStep(step: NetworkStep, op: NetworkOperation): string {
  const parts = partsOf(step, op.direction).map(({ state, ns }) => ns === Infinity ? `then ${kStates[state]}` : `${duration(ns)} ${kStates[state]}`);
  return `Step ${step.step} of ${worksFor(op)}: ${wayOf(op)}${step.bytes > 0 ? ", " + bytes(step.bytes) : ""}; ` +
    `${spanOf(step.start_ns, step.end_ns)}: ${parts.join(", ")}.` + (step.retries > 0 ? ` It asked ${counted(step.retries, "time")} more before it could go on.` : "");
}
