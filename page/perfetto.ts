// Hands a cut of what is in view to Perfetto's page: to the copy that the site names, by its documented messages (PING
// until PONG, then the trace), else as a download. Nothing goes anywhere else.
import { make } from "./dom";
import type { Source } from "./source";
import type { View } from "./view";

const kPingMs = 50, kMostPings = 600;  // half a minute

function download(trace: ArrayBuffer): void {
  const url = URL.createObjectURL(new Blob([trace]));
  make("a", { href: url, download: "lockstep.pftrace" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// The window is opened at once, as browsers allow it for a click only; the trace follows when it is there.
function handOver(site: string, title: string, trace: Promise<ArrayBuffer>): Promise<void> {
  const origin = new URL(site, location.href).origin;
  const page = window.open(site, "_blank");
  if (page === null) return Promise.reject(new Error("The browser did not open Perfetto: allow pop-up windows for this page."));
  return new Promise((done, failed) => {
    let pings = 0;
    const timer = setInterval(() => {
      page.postMessage("PING", origin);
      if (++pings > kMostPings) stop(() => failed(new Error(`${site} does not answer as Perfetto does.`)));
    }, kPingMs);
    const heard = (event: MessageEvent) => {
      if (event.source !== page || event.origin !== origin || event.data !== "PONG") return;
      stop(() => trace.then(buffer => {
        page.postMessage({ perfetto: { buffer, title, fileName: "lockstep.pftrace", localOnly: true } }, origin, [buffer]);
        done();
      }, failed));
    };
    const stop = (then: () => void) => {
      clearInterval(timer);
      window.removeEventListener("message", heard);
      then();
    };
    window.addEventListener("message", heard);
  });
}

export function perfettoButton(source: Source, site: string | undefined, title: string, view: () => View): HTMLElement {
  const said = make("span", { role: "status", class: "said" });
  const open = async () => {
    said.textContent = "";
    const trace = source.trace(view());
    if (site) await handOver(site, title, trace);
    else download(await trace);
  };
  return make("span", {}, make("button", { type: "button", id: "perfetto", click: () => {
    open().catch((error: Error) => said.textContent = error.message);
  } }, site ? "Open in Perfetto" : "Download for Perfetto"), said);
}
