// The SQL box of a served run: read only, bounded by the server.
import { make, section, table } from "./dom";
import { answerPlot, dropPlots } from "./plots";
import type { Source } from "./source";

const kExample = "SELECT func, count(*) AS operations, sum(size_bytes) AS bytes FROM operations GROUP BY func ORDER BY operations DESC";

function shown(value: unknown): Node {  // no string: those of a table are edited to be read
  return document.createTextNode(value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));
}

export function sqlBox(source: Source): HTMLElement {
  const text = make("textarea", { id: "sql-text", rows: "4", spellcheck: "false", "aria-label": "SQL" });
  text.value = kExample;
  const out = make("div", { role: "status" });
  const ask = async () => {
    out.textContent = "Asking ...";
    const answer = await source.query(text.value);
    dropPlots(out);
    out.replaceChildren(...[answerPlot(answer.columns, answer.rows)].filter((plot): plot is HTMLElement => plot !== null),
      table(answer.columns.map(column => column.name), answer.rows.map(row => row.map(shown)), "Answer"),
      make("p", { class: "legend" }, `${answer.rows.length} rows in ${answer.elapsed_ms} ms` + (answer.truncated ? "; there are more." : ".")));
  };
  return section("sql", "SQL",
    make("p", {}, "The tables of docs/schema.md, read only. Control and Enter ask. Numbers are drawn against the first column."),
    make("form", { submit: event => {
      event.preventDefault();
      ask().catch((error: Error) => out.textContent = error.message);
    }, keydown: event => {
      const key = event as KeyboardEvent;
      if (key.key === "Enter" && (key.ctrlKey || key.metaKey)) (key.currentTarget as HTMLFormElement).requestSubmit();
    } }, text, make("p", {}, make("button", { type: "submit" }, "Ask"))), out);
}
