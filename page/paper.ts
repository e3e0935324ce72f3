// On paper: light colours, and canvases as wide as paper is, whatever the screen has. What was drawn for the screen would be
// cut off at the paper's edge, or be light on white.
const kPaperWidth = 700;  // CSS pixels: what A4 and Letter leave between a browser's margins

// `redraw` is done when it returns: browsers print right after it.
export function drawForPaper(root: HTMLElement, redraw: () => void): void {
  let theme: string | undefined;
  window.addEventListener("beforeprint", () => {
    theme = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = "light";
    root.style.width = kPaperWidth + "px";
    redraw();
  });
  window.addEventListener("afterprint", () => {
    if (theme === undefined) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    root.style.width = "";
    redraw();
  });
}
