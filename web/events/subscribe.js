// @ts-check
import { listen } from "./stream.js";

/** Calls `receive` with each event of the server: by a worker that all pages share, or on its own where there is none. */
export function subscribe(server, receive) {
  if (typeof SharedWorker === "undefined") {
    listen(server.address("events"), receive);
  } else {
    share(server, receive);
  }
  addEventListener("pageshow", ({ persisted }) => {
    // The page was kept as it was, and heard nothing.
    if (persisted) receive({ type: "reset" });
  });
}

function share(server, receive) {
  const worker = new SharedWorker(new URL("worker.js", import.meta.url), { type: "module", name: "events" });
  worker.port.onmessage = ({ data }) => receive(data);
  // A browser that has shared workers, but not of modules.
  worker.addEventListener("error", () => listen(server.address("events"), receive), { once: true });
  addEventListener("pagehide", () => worker.port.postMessage("leave"));
  addEventListener("pageshow", () => worker.port.postMessage("join"));
}
