/** Milliseconds until a server that has refused to be listened to is asked again. */
const pause = 60_000;

/**
 * Calls `receive` with each event that the server sends. After a lost connection the browser asks for what has come meanwhile
 * (Last-Event-ID); a server that refuses is asked again later, and then anything may have happened.
 */
export function listen(address, receive, { EventSource = globalThis.EventSource, wait = setTimeout, isAgain = false } = {}) {
  const source = new EventSource(address);
  if (isAgain) source.addEventListener("open", () => receive({ type: "reset" }), { once: true });
  source.onmessage = ({ data }) => receive(JSON.parse(data));
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return;
    wait(() => listen(address, receive, { EventSource, wait, isAgain: true }), pause);
  };
}
