// @ts-check
import { listen } from "./stream.js";

/**
 * Calls `receive` with each event of the server. A worker that all pages share reads the events. Without shared workers
 * the page reads them itself.
 */
export function subscribe(server, receive) {
  if (typeof SharedWorker === "undefined") {
    listen(server.address("events"), receive);
  } else {
    share(server, receive);
  }
  addEventListener("pageshow", ({ persisted }) => {
    // The browser has frozen the page, so it has missed events.
    if (persisted) receive({ type: "reset" });
  });
}

function share(server, receive) {
  const worker = new SharedWorker(new URL("worker.js", import.meta.url), { type: "module", name: "events" });
  worker.port.onmessage = ({ data }) => receive(data);
  // This browser has shared workers, but none that are modules.
  worker.addEventListener("error", () => listen(server.address("events"), receive), { once: true });
  addEventListener("pagehide", () => worker.port.postMessage("leave"));
  addEventListener("pageshow", () => worker.port.postMessage("join"));
}
