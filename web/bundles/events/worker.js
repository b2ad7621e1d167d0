// Made by web/bundle.js of 2 modules. Change these, not this.
// stream.js
const module0 = (() => {
const pause = 60_000;

function listen(address, receive, { EventSource = globalThis.EventSource, wait = setTimeout, isAgain = false } = {}) {
  const source = new EventSource(address);
  if (isAgain) source.addEventListener("open", () => receive({ type: "reset" }), { once: true });
  source.onmessage = ({ data }) => receive(JSON.parse(data));
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return;
    wait(() => listen(address, receive, { EventSource, wait, isAgain: true }), pause);
  };
}
return { listen };
})();

const { listen } = module0;

const ports = new Set();

globalThis.addEventListener("connect", ({ ports: [port] }) => {
  ports.add(port);
  port.onmessage = ({ data }) => (data === "join" ? ports.add(port) : ports.delete(port));
});

listen(new URL("../../events", import.meta.url), (event) => {
  for (const port of ports) port.postMessage(event);
});

