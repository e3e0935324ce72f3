// The run as `lockstep report --json` and /api/run give it (docs/report.md). All times are ns since the run's first record.

// A point of bandwidth by size, and two ranks of a communicator of which one sends to the other.
export interface Place {
  func?: string;
  nranks?: number;
  size_bytes?: number;
  slow_took_ns?: number;  // the middle of the slow operations there
  communicator?: string;
  from?: number;
  to?: number;
}
export interface Verdict {
  kind: string;
  text: string;
  confidence: number;
  communicator: string;
  ranks: number[];
  culprits: number[];
  cost_share: number | null;
  since_s: number;
  evidence: string[];
  evidence_sql: string[];  // the rows that each line names; empty: it names none
  evidence_places: Place[];  // where each line is seen in the plots
  at_ns: number[];
}
export interface Kind {
  func: string;
  algo: string;
  proto: string;
  kind: string;
  nranks: number;
  size_bytes: number;
  operations: number;
  matches: number;
  elapsed_ns: number;
  wait_ns: number;
  transfer_median_ns: number;
  transfer_p99_ns: number;
  busbw_gbs: number;
}
export interface RankRow {
  rank: number;
  host: string;
  operations: number;
  late: number;
  wait_ns: number;
  caused_wait_ns: number;
  cause: string;
}
export interface Step {
  step: string;
  start_ns: number;
  duration_ns: number;
  own_ns: number;
  transfer_ns: number;
  excess_ns: number;
  gain_ns: number;
  rank: string;
  host: string;
  communicator: string;
}
// What went on beside the operations, above the heat map.
export interface Lane {
  kind: "steps" | "ranges" | "moments" | "captures" | "pressure" | "log" | "log_errors" | "finding";
  name: string;
  spans: [number, number, string][];  // from, to, what it is
}
export interface LogLine {
  at_ns: number;
  file: string;
  line: number;
  level: "error" | "warning" | "info" | "unknown";
  rank?: number;
  text: string;
}
export interface Peers {
  communicator: string;
  side: number;
  ranks_per_cell: number;
  cells: [number, number, number, number][];  // from, to, bytes, sends
}
export interface Expected {
  func: string;
  communicator: string;
  nranks: number;
  size_bytes: number;
  operations: number;
  slow: number;
  median_ns: number;
  expected_ns: number;
  busbw_gbs: number;
}
export interface Change {
  what: string;
  before_median_ns: number;
  after_median_ns: number;
  ratio: number;
}
export interface SaidTable {
  title: string;
  words: string;
  coverage: string;  // the line under it, or empty
  columns: string[];
  rows: string[][];
}
export interface Run {
  title: string;
  processes: number;
  communicators: number;
  operations: number;
  answers: string[];
  times: string;
  not_known: string[];
  nothing_missing: string;  // said where nothing is in not_known
  damage: string[];
  without_end: number;  // calls of ranks
  found_live?: { taken_unix_ns: number; findings: { kind: string; text: string; confidence: number }[] };
  headline: { kind: "hangs" | "costs" | "nothing" | "unknown"; text: string; cost_share: number | null; verdict?: number; waiting_ranks?: number };
  length_ns: number;
  origin_unix_ns: number;
  verdicts: Verdict[];
  communicator: string;
  kinds: Kind[];
  ranks: RankRow[];
  places: [number, string, number][];  // rank, host, pid
  clock: { one_clock: boolean; error_ns: number; hosts: string[]; points: [number, number, number, number][] };  // host, seconds, half width and offset since its first, us
  tables: SaidTable[];
  operations_coverage: string;
  ranks_coverage: string;
  bandwidth_words: string;
  steps: Step[];
  lanes: Lane[];
  logs: LogLine[];
  peers: Peers[];
  expected: Expected[];
  slower?: Change[];
  faster?: Change[];
  compared?: number;  // medians
  compared_words?: string;
  lost_memory: number;
  lost_disk: number;
  lost_unknown: number;
  serve?: { run: string; live: boolean; stacks_kept: boolean; reading: number; to_ns: number; groups: string[]; ranks: { rank: number; host: string; communicators: string[] }[]; report_from_ns?: number; perfetto_ui?: string };
}

// One operation of one rank: a row of /api/ops.
export interface Op {
  rank: number;
  comm: string;
  func: string;
  ordinal: number;
  start_ns: number;       // the call
  arrival_ns: number | null;  // the rank was ready; null: not known
  end_ns: number | null;  // null: never
  wait_ns: number | null;
  transfer_ns: number | null;
  bytes: number;
  last_rank: number | null;  // whom it waited for
  error_ns: number;   // of the wait, guaranteed
  state: string;
}
// When its rank was ready: waiting begins there. Calls may be made long before.
export function readyOf(op: Op): number {
  return op.arrival_ns ?? op.start_ns;
}

export interface Ops {
  ops: Op[];
  truncated: boolean;  // only those with the longest waits
  leftOut: number;     // ranks in view that were not asked about
  tooMuch?: string;    // why there are none
}

export interface RowsAnswer {
  columns: string[];
  rows: unknown[][];
  truncated: boolean;
}

// A run that is served in parts: the report is about one of them, whose times become those of the run.
export function inRunTime(run: Run): Run {
  const from = run.serve?.report_from_ns ?? 0;
  return {
    ...run,
    length_ns: Math.max(run.length_ns + from, run.serve?.to_ns ?? 0),
    verdicts: run.verdicts.map(verdict => ({ ...verdict, at_ns: verdict.at_ns.map(ns => ns + from) })),
    steps: run.steps.map(step => ({ ...step, start_ns: step.start_ns + from })),
    logs: run.logs.map(line => ({ ...line, at_ns: line.at_ns + from })),
    lanes: run.lanes.map(lane => ({ ...lane, spans: lane.spans.map(([begin, end, text]) => [begin + from, end + from, text]) })),
  };
}

export function rowsOf<Row>(answer: RowsAnswer): Row[] {
  return answer.rows.map(row => Object.fromEntries(answer.columns.map((name, i) => [name, row[i]])) as unknown as Row);
}

export function opsOf(answer: RowsAnswer, leftOut = 0): Ops {
  const ops = rowsOf<Op>(answer);
  return { ops: ops.filter(op => typeof op.start_ns === "number"), truncated: answer.truncated, leftOut };
}
