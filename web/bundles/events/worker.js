// Made by web/bundle.js of 2 modules. Change these, not this.
// stream.js
const module0 = (() => {
const [firstPause, longestPause] = [5000, 60_000];

function listen(address, receive, refusals = 0) {
  const source = new EventSource(address);
  let count = refusals;
  source.onopen = () => {
    if (count > 0) receive({ type: "reset" });
    count = 0;
  };
  source.onmessage = ({ data }) => receive(JSON.parse(data));
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => listen(address, receive, count + 1), Math.min(firstPause * 2 ** count, longestPause));
  };
}
return { listen };
})();

const { listen } = module0;

const ports = new Set();

globalThis.addEventListener("connect", (/** @type {MessageEvent<string>} */ { ports: [port] }) => {
  ports.add(port);
  port.onmessage = ({ data }) => (data === "join" ? ports.add(port) : ports.delete(port));
});

listen(new URL("../../events", import.meta.url), (event) => {
  for (const port of ports) port.postMessage(event);
});

