// Dark or light: as the system has it, or as the reader chose. Made once.
import { make } from "./dom";

export function themeButton(changed: () => void): HTMLElement {
  const dark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const button = make("button", { type: "button", id: "theme", click: () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    name();
    changed();
  } });
  const name = () => {
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", button.textContent + " colours");
  };
  name();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    name();
    changed();
  });
  return button;
}
