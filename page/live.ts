// A run that goes on: asks its server every second whether it was read again, and says of when the data are. A page that
// nobody sees asks nothing.
import { make } from "./dom";
import type { Ranks } from "./ranks";
import type { Run } from "./run";
import type { Live, Source } from "./source";

const kAskMs = 1000;

function ago(ms: number): string {
  return ms < 1500 ? "a second ago" : Math.round(ms / 1000) + " s ago";
}

export class LiveLine {
  readonly element = make("div", { id: "live", hidden: "" });
  private text = make("span");
  private button = make("button", { type: "button", id: "follow", click: () => this.ranks.follow(!this.ranks.follows) });
  private turn = 0;
  private ended = false;

  constructor(private source: Source, private ranks: Ranks, private shown: () => Run, private show: (run: Run) => Promise<void>) {
    this.element.append(this.text, this.button);
    ranks.followed = () => this.nameButton();
    this.nameButton();
  }

  private nameButton(): void {
    this.button.textContent = this.ranks.follows ? "Stop following" : "Follow (f)";
    this.button.setAttribute("aria-pressed", String(this.ranks.follows));
  }

  start(): void {
    if (!this.source.served) return;
    window.addEventListener("keydown", event => {
      const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      if (event.key !== "f" || typing || event.ctrlKey || event.metaKey || event.altKey || this.ended) return;
      this.ranks.follow(!this.ranks.follows);
    });
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) void this.ask();
    });
    void this.ask();
  }

  private say(live: Live): void {
    const at = new Date(Date.now() - live.age_ms).toLocaleTimeString([], { hour12: false });
    this.element.hidden = false;
    this.element.classList.toggle("stale", live.trouble !== "");
    this.text.textContent = `Live: what was recorded until ${at}, ${ago(live.age_ms)}.` +
      (live.trouble === "" ? "" : ` It could not be read again: ${live.trouble}`);
  }

  private async ask(): Promise<void> {
    if (this.ended || document.hidden) return;
    const turn = ++this.turn;
    try {
      const live = await this.source.live();
      if (live.reading !== this.shown().serve?.reading) await this.show(await this.source.run());
      if (live.live) this.say(live);
      else this.end(!this.element.hidden);
    } catch (error) {
      this.element.classList.add("stale");
      this.text.textContent = (error as Error).message;
    }
    if (!this.ended && turn === this.turn) setTimeout(() => void this.ask(), kAskMs);
  }

  private end(seen: boolean): void {
    this.ended = true;
    if (!seen) return;
    this.button.hidden = true;
    this.text.textContent = "The job has ended; nothing more will come.";
  }
}
