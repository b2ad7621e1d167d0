// @ts-check
/** Milliseconds until a server that has refused to be listened to is asked again: the first time, and at most. */
const [firstPause, longestPause] = [5000, 60_000];

/**
 * Calls `receive` with each event that the server sends. After a lost connection the browser asks for what has come meanwhile
 * (Last-Event-ID). A server that refuses, or a proxy without one, is asked again later; what has come until then is lost, so
 * that `receive` gets a reset. `refusals` is how often that was so in a row.
 */
export function listen(address, receive, refusals = 0) {
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
