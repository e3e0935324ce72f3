// What became slower since another run: of a file those that it was made with, of a served run any of its folder.
import { make, section, table } from "./dom";
import type { Change, Run } from "./run";
import type { Source } from "./source";
import { comparedInAddress, putComparedInAddress } from "./view";
import { duration } from "./words";

export interface Comparison {
  slower: Change[];
  faster: Change[];
  compared: number;  // medians
  compared_words: string;
  last_part_only: string[];  // runs of which no more is compared
}

function changes(title: string, list: Change[]): HTMLElement | null {
  return list.length === 0 ? null : make("div", {}, make("h3", {}, title),
    table(["what", "before", "now", "times"], list.map(one => [one.what, duration(one.before_median_ns), duration(one.after_median_ns), one.ratio.toFixed(2)]), title));
}

function parts(said: Omit<Comparison, "last_part_only">): HTMLElement[] {
  const nothing = said.compared === 0 ? "Nothing could be compared." : "Nothing became slower beyond noise.";
  return [
    said.slower.length === 0 ? make("p", {}, nothing) : null,
    changes("Slower", said.slower), changes("Faster", said.faster), make("p", { class: "legend" }, said.compared_words),
  ].filter((part): part is HTMLElement => part !== null);
}

export function compared(run: Run): HTMLElement | null {
  const { slower, faster, compared, compared_words } = run;
  if (slower === undefined || faster === undefined || compared === undefined || compared_words === undefined) return null;
  return section("compare", "Against earlier runs", ...parts({ slower, faster, compared, compared_words }));
}

export function compareWith(source: Source): HTMLElement {
  const choose = make("select", { id: "compare-with", "aria-label": "An earlier run" });
  const out = make("div", { role: "status" });
  const compare = async () => {
    const name = choose.value;
    out.textContent = "Reading both runs ...";
    const said = await source.compare(name);
    putComparedInAddress(name);
    out.replaceChildren(make("h3", {}, "Since " + name), ...parts(said),
      ...said.last_part_only.map(run => make("p", { class: "legend" }, `${run} is large: only its last part is compared.`)));
  };
  const fail = (error: Error) => out.textContent = error.message;
  const form = make("form", { class: "controls", submit: event => {
    event.preventDefault();
    compare().catch(fail);
  } }, choose, make("button", { type: "submit" }, "Compare"));
  source.others().then(names => {
    choose.append(...names.map(name => make("option", { value: name }, name)));
    if (names.includes(comparedInAddress())) {
      choose.value = comparedInAddress();
      compare().catch(fail);
    }
    if (names.length === 0) form.replaceChildren(make("p", {}, "There is no other run in this folder."));
  }).catch(fail);
  return section("compare", "Compare with an earlier run",
    make("p", {}, "Median transfer times and arrival skews of equal operations; slower is what lies beyond noise."), form, out);
}
