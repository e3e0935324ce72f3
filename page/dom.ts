// Making elements. Texts of a recording only ever become text nodes: nothing here parses markup.

type Child = Node | string | null;
type Attributes = Record<string, string | ((event: Event) => void)>;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "string") element.setAttribute(name, value);
    else element.addEventListener(name, value);
  }
  element.append(...children.filter((child): child is Node | string => child !== null));
  return element;
}

// A section with its heading and a name to link to.
export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  return make("section", { id, "aria-labelledby": id + "-title" },
    make("h2", { id: id + "-title" }, title), ...children);
}

// A number and its unit stay on one line.
export function unbroken(text: string): string {
  return text.replace(/(\d) (?=(?:ns|us|ms|s|min|h|B|[KMGT]iB|GB\/s)\b|%)/g, "$1\u00a0");
}

// A sentence, which has commands between backticks.
export function words(text: string): (HTMLElement | string)[] {
  return unbroken(text).split("`").map((part, i) => i % 2 === 1 ? make("code", {}, part) : part);
}

// "5.2 ms", "16 of 16", "350 ms (rank 15)"; a line of a log may well begin with a number.
const kNumber = /^[-+\u00b1]?\d[\d.,]*(?:e-?\d+)?(?:\s(?:ns|us|ms|s|min|h|B|[KMGT]iB|GB\/s|%|of|\d+))*(?:\s\(.*\))?$/;

const kShortWords = 28;  // letters

// Numbers stand below each other by their last digit, words by their first letter; few words stay on one line.
function kindOf(rows: (string | Node)[][], column: number): { class: string } {
  const texts = rows.map(row => typeof row[column] === "string" ? row[column] as string : (row[column] as Node | undefined)?.textContent ?? "");
  if (texts.every(text => text === "" || text === "-" || kNumber.test(text))) return { class: "number" };
  return { class: column > 0 && texts.every(text => text.length <= kShortWords) ? "words short" : "words" };
}

// A table that scrolls by itself where the screen is narrow; the keyboard can scroll it too.
export function table(columns: string[], rows: (string | Node)[][], label: string): HTMLElement {
  const kind = columns.map((_, column) => kindOf(rows, column));
  return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": label },
    make("table", {},
      make("thead", {}, make("tr", {}, ...columns.map((name, column) => make("th", { scope: "col", ...kind[column] }, name)))),
      make("tbody", {}, ...rows.map(row =>
        make("tr", {}, ...row.map((cell, column) => make("td", kind[column], column > 0 && typeof cell === "string" ? unbroken(cell) : cell)))))));
}

// A CSS variable's value now: canvases are drawn with the theme's colours.
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

// A canvas of this size in CSS pixels, sharp on every screen. Draw in CSS pixels.
export function sized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const context = canvas.getContext("2d")!;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.font = "12px system-ui, sans-serif";
  return context;
}

// A link to a section of the page that leaves the address bar to the view.
export function lead(id: string, text: string, go: () => void): HTMLElement {
  return make("a", { href: "#" + id, click: event => {
    event.preventDefault();
    go();
  } }, unbroken(text));
}

export function jump(id: string, text: string): HTMLElement {
  return lead(id, text, () => {
    const target = document.getElementById(id);
    if (target === null) return;
    if (target instanceof HTMLDetailsElement) target.open = true;
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: "start" });
  });
}
