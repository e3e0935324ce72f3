// The SQL box of a served run: read only, bounded by the server.
import { make, section, table } from "./dom";
import { answerPlot, dropPlots } from "./plots";
import type { Source } from "./source";
import { counted } from "./words";

const kExample = "SELECT func, count(*) AS operations, sum(size_bytes) AS bytes FROM operations GROUP BY func ORDER BY operations DESC";

function shown(value: unknown): Node {  // no string: those of a table are edited to be read
  return document.createTextNode(value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));
}

export class SqlBox {
  readonly element: HTMLElement;
  private text = make("textarea", { id: "sql-text", rows: "4", spellcheck: "false", "aria-label": "SQL" });
  private out = make("div", { role: "status" });
  private asked = 0;

  constructor(private source: Source) {
    this.text.value = kExample;
    this.element = section("sql", "SQL",
      make("p", {}, "The tables of docs/schema.md, read only. Control and Enter ask. Numbers are drawn against the first column."),
      make("form", { submit: event => {
        event.preventDefault();
        void this.ask(answerPlot);
      }, keydown: event => {
        const key = event as KeyboardEvent;
        if (key.key === "Enter" && (key.ctrlKey || key.metaKey)) (key.currentTarget as HTMLFormElement).requestSubmit();
      } }, this.text, make("p", {}, make("button", { type: "submit" }, "Ask"))), this.out);
  }

  // Leads the reader to the statement, with its answer below.
  show(sql: string): void {
    this.text.value = sql;
    this.text.focus({ preventScroll: true });
    this.element.scrollIntoView({ block: "start" });
    void this.ask(() => null);  // rows as they are: numbers of rows make no plot
  }

  private async ask(plotOf: typeof answerPlot): Promise<void> {
    const turn = ++this.asked;
    this.out.textContent = "Asking ...";
    try {
      const answer = await this.source.query(this.text.value);
      if (turn !== this.asked) return;  // a later statement is already asked
      dropPlots(this.out);
      this.out.replaceChildren(...[plotOf(answer.columns, answer.rows)].filter((plot): plot is HTMLElement => plot !== null),
        table(answer.columns.map(column => column.name), answer.rows.map(row => row.map(shown)), "Answer"),
        make("p", { class: "legend" }, `${counted(answer.rows.length, "row")} in ${answer.elapsed_ms} ms` + (answer.truncated ? "; there are more." : ".")));
    } catch (error) {
      if (turn === this.asked) this.out.replaceChildren(make("pre", {}, (error as Error).message));
    }
  }
}
