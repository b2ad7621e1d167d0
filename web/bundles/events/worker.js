// Made by web/bundle.js of 2 modules. Change these, not this.
// stream.js
const module0 = (() => {
const pause = 60_000;

function listen(address, receive) {
  const source = new EventSource(address);
  source.onmessage = ({ data }) => receive(JSON.parse(data));
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => listen(address, receive), pause);
  };
}
return { listen };
})();

const { listen } = module0;

const ports = new Set();

globalThis.addEventListener("connect", ({ ports: [port] }) => {
  ports.add(port);
  port.onmessage = () => ports.delete(port);
});

listen(new URL("../../events", import.meta.url), (event) => {
  for (const port of ports) port.postMessage(event);
});

