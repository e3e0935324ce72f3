// Lines of the job's logs as instants: two lanes above the heat map, and the words of those in the window.
import { make, table } from "./dom";
import type { Lane, LogLine } from "./run";
import type { View } from "./view";
import { duration } from "./words";

const kMostShown = 20;

function matters(line: LogLine): boolean {
  return line.level === "error" || line.level === "warning";
}

function placeOf(line: LogLine): string {
  return `${line.file.split("/").pop()}:${line.line}`;
}

function lane(name: string, kind: Lane["kind"], lines: LogLine[]): Lane[] {
  return lines.length === 0 ? [] : [{ kind, name, spans: lines.map(line => [line.at_ns, line.at_ns, `${placeOf(line)}: ${line.text}`]) }];
}

export function logLanes(lines: LogLine[]): Lane[] {
  return [...lane("log errors", "log_errors", lines.filter(matters)), ...lane("log", "log", lines.filter(line => !matters(line)))];
}

export class LogLines {
  readonly element = make("div", { id: "logs" });

  draw(lines: LogLine[], view: View): void {
    const here = lines.filter(line => line.at_ns >= view.from && line.at_ns <= view.to);
    if (here.length === 0) return this.element.replaceChildren();
    const bad = here.filter(matters);
    const shown = here.length <= kMostShown ? here : (bad.length !== 0 ? bad : here).slice(0, kMostShown);
    this.element.replaceChildren(
      make("h3", {}, "Log lines in view"),
      make("p", { class: "legend" }, shown.length === here.length ? "" : `${shown.length} of ${here.length} lines: the first${bad.length !== 0 ? " errors and warnings" : ""}.`),
      table(["at", "line", "level", "rank", "text"], shown.map(line => [
        duration(line.at_ns), placeOf(line), line.level, line.rank === undefined ? "" : String(line.rank), line.text]), "Log lines in view"));
  }
}
