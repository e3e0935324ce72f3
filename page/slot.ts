// A place on the page whose content is made anew with each reading of a run that goes on. What the reader has opened,
// scrolled or is at stays as it is.
import { make } from "./dom";
import { dropPlots } from "./plots";

function nameOf(details: HTMLDetailsElement): string {
  return details.id || (details.querySelector("summary")?.textContent ?? "");
}

export class Slot {
  readonly element = make("div", { class: "slot" });

  // Nothing changes beneath who has the keyboard in it, or has marked a part of its text; the next reading will do.
  // Whether it was filled.
  fill(...parts: (HTMLElement | null)[]): boolean {
    const selection = document.getSelection();
    const marked = selection !== null && !selection.isCollapsed && this.element.contains(selection.anchorNode);
    if (marked || this.element.contains(document.activeElement)) return false;
    const open = new Map([...this.element.querySelectorAll("details")].map(one => [nameOf(one), one.open]));
    const along = [...this.element.querySelectorAll(".wide")].map(one => one.scrollLeft);
    dropPlots(this.element);
    this.element.replaceChildren(...parts.filter((part): part is HTMLElement => part !== null));
    for (const one of this.element.querySelectorAll("details")) one.open = open.get(nameOf(one)) ?? one.open;
    this.element.querySelectorAll(".wide").forEach((one, i) => one.scrollLeft = along[i] ?? 0);
    return true;
  }
}
