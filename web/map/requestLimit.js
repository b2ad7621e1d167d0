// @ts-check
/** Requests at once over HTTP/1.1: a browser opens six connections to a server, and each carries one request. */
export const fewest = 6;

/**
 * Requests at once over a connection that carries many. A layer fills a window of 1920 × 1080 points with about 50
 * tiles, so one round trip is enough for the window. Pages of a browser share a connection. `server.limits.streams`,
 * 128, has room for two.
 */
export const most = 64;

/**
 * Aborts at once over a connection that carries many requests. A tenth of this number is added each second. An abort
 * resets a stream, and the server closes a connection with too many resets: `server.limits.resets`, 200, counts in the
 * same way, and has room for two pages.
 */
export const mostAborts = 100;

/** Returns the number of requests at once over `protocol`, or null if a resource timing does not know its protocol. */
export function requestLimit(protocol) {
  if (protocol === "h2" || protocol === "h3") return most;
  return protocol.startsWith("http/") ? fewest : null;
}

/**
 * Calls `setLimit` for each response of the page, also for earlier ones. All responses come from the page's own server.
 * An observer hears of responses also after the browser's list of resource timings is full.
 *
 * @param {(limit: number) => void} setLimit
 */
export function observeRequestLimit(setLimit, Observer = globalThis.PerformanceObserver) {
  const observer = new Observer((list) => {
    for (const entry of list.getEntries()) {
      const limit = requestLimit(/** @type {PerformanceResourceTiming} */ (entry).nextHopProtocol);
      if (limit !== null) setLimit(limit);
    }
  });
  observer.observe({ type: "resource", buffered: true });
}
