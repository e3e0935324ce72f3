// Where the ranks of a job that runs stand, by their stacks: the places with who is there, and one tree of all frames.
import { make, section } from "./dom";
import type { Source } from "./source";
import { counted, duration, moment } from "./words";

export interface StackNode {
  frame: string;
  who: string;
  members: number;
  children: number[];
}
export interface StackTree {
  kind: string;
  places: { who: string; threads: number; where: string; moved: boolean; unread: string;
    operations: { words: string; who: string; called_ago_ns: number }[] }[];
  roots: number[];
  nodes: StackNode[];
}
export interface Stacks {
  hosts_asked: number;
  hosts_answered: number;
  failed: { host: string; reason: string }[];
  taken_unix_ns: number;
  trees: StackTree[];
}

// One line a frame as long as all go the same way; where ways part, one item each.
function branch(tree: StackTree, number: number): HTMLElement {
  const lines = [tree.nodes[number].frame];
  let at = tree.nodes[number];
  while (at.children.length === 1 && tree.nodes[at.children[0]].members === at.members) {
    at = tree.nodes[at.children[0]];
    lines.push(at.frame);
  }
  return make("li", {}, make("details", { open: "" }, make("summary", {}, tree.nodes[number].who),
    make("div", { class: "frames" }, ...lines.map(line => make("div", {}, line))),
    at.children.length === 0 ? null : make("ul", {}, ...at.children.map(child => branch(tree, child)))));
}

function treeOf(tree: StackTree): HTMLElement {
  return make("div", {}, make("h3", {}, tree.kind === "main" ? "Main threads" : "Threads " + tree.kind),
    make("ul", {}, ...tree.places.map(place => make("li", {}, make("strong", {}, place.who), ": " + place.where +
      (place.moved ? ", moving below it" : "") + (place.unread ? "; no frames: " + place.unread : ""),
    ...place.operations.slice(0, 4).map(one => make("div", { class: "evidence" }, `${one.who}: ${one.words}, ${duration(one.called_ago_ns)} ago`))))),
    tree.roots.length === 0 ? null : make("details", {}, make("summary", {}, "All frames, from outside in"),
      make("ul", { class: "tree" }, ...tree.roots.map(root => branch(tree, root)))));
}

export class StacksSection {
  readonly element: HTMLElement;
  private out = make("div", { role: "status" });
  private words = make("p");
  private button = make("button", { type: "button", id: "ask-stacks", click: () => {
    this.ask().catch((error: Error) => this.out.textContent = error.message);
  } });

  constructor(private source: Source) {
    this.element = section("stacks", "Where the ranks stand", this.words, make("p", {}, this.button), this.out);
  }

  // Of a job that has ended: as they stood when somebody asked last.
  of(live: boolean): void {
    this.words.textContent = live ? "By the stacks of the job\u2019s processes, now. Each thread is stopped for a moment to read it."
      : "By the stacks of the job\u2019s processes, when somebody asked for them last while it ran.";
    this.button.textContent = live ? "Ask" : "Show";
  }

  private async ask(): Promise<void> {
    this.out.textContent = "Asking ...";
    const found = await this.source.stacks();
    this.out.replaceChildren(
      make("p", { class: "legend" }, `At ${moment(found.taken_unix_ns)}: ${found.hosts_answered} of ${counted(found.hosts_asked, "host")} answered.` +
        found.failed.map(one => ` ${one.host}: ${one.reason}.`).join("")),
      ...found.trees.map(treeOf));
  }
}
