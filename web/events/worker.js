// @ts-check
// A shared worker with one event stream for all pages of a browser, because a browser has only six connections to a server.

import { listen } from "./stream.js";

const ports = new Set();

globalThis.addEventListener("connect", (/** @type {MessageEvent<string>} */ { ports: [port] }) => {
  ports.add(port);
  // A page announces when it leaves and when it returns, because a worker gets no event for that.
  port.onmessage = ({ data }) => (data === "join" ? ports.add(port) : ports.delete(port));
});

listen(new URL("../../events", import.meta.url), (event) => {
  for (const port of ports) port.postMessage(event);
});
