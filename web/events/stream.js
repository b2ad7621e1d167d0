/** Milliseconds until a server that has refused to be listened to is asked again. */
const pause = 60_000;

/**
 * Calls `receive` with each event that the server sends. After a lost connection the browser asks for what has come meanwhile
 * (Last-Event-ID); a server that refuses is asked again later.
 */
export function listen(address, receive) {
  const source = new EventSource(address);
  source.onmessage = ({ data }) => receive(JSON.parse(data));
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => listen(address, receive), pause);
  };
}
