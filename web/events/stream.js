// @ts-check
/** Milliseconds before a refused connection is tried again: the first pause, and the longest pause. */
const [firstPause, longestPause] = [5000, 60_000];

/**
 * Calls `receive` with each event of the server. After a lost connection the browser requests the missed events itself
 * (Last-Event-ID). If the server refuses, or a proxy has no server, this function tries again later. Events are lost
 * until then, so `receive` gets a reset. `refusals` is the number of refusals in a row.
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
