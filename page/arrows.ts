// The arrow keys that go from place to place in a plot: how far to the right and down each goes.
export const kArrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// null: another key, or one that is the browser's.
export function arrowOf(event: KeyboardEvent): [number, number] | null {
  return event.ctrlKey || event.metaKey || event.altKey || event.shiftKey ? null : kArrows[event.key] ?? null;
}
