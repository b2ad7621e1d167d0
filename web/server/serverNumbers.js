// @ts-check
/** @typedef {import("./metrics.js").Metrics} Metrics */
/** @typedef {{ host: string, state: string, isWorking: boolean, requests: number, failures: number }} Upstream */
/** @typedef {{ used: number, limit: number | null }} Part */

/** States of a circuit breaker by the number in the metrics. */
const states = ["closed", "half open", "open"];

/** Results of tile requests that return a tile: from the cache, and fetched or drawn for the request. */
const [cached, made] = [["hit", "stale", "offline"], ["miss", "collapsed"]];

/** Results of upstream requests that are failures. */
const failed = ["status", "invalid", "timeout", "failed"];

/**
 * Chooses the numbers that the page shows from the server's metrics (docs/reference/metrics.md). A number that the
 * server does not state is null.
 *
 * @param {Metrics} metrics
 */
export function serverNumbers(metrics) {
  const results = (list) => list.reduce((total, result) => total + (metrics.sum("tileserver_tiles_total", { result }) ?? 0), 0);
  const fromCache = results(cached);
  const tiles = fromCache + results(made);
  return {
    requests: metrics.sum("tileserver_http_requests_total"),
    errors: total(metrics.all("tileserver_http_requests_total").filter(({ labels }) => labels.code?.startsWith("5"))),
    tiles,
    hitRatio: tiles === 0 ? null : fromCache / tiles,
    memory: part(metrics.sum("process_resident_memory_bytes"), metrics.sum("tileserver_memory_limit_bytes")),
    memoryCache: cache(metrics, "memory"),
    diskCache: cache(metrics, "disk"),
    connections: part(metrics.sum("tileserver_connections"), metrics.sum("tileserver_connections_limit")),
    startedAt: metrics.sum("process_start_time_seconds"),
    upstreams: upstreams(metrics),
  };
}

/** @param {import("./metrics.js").Sample[]} samples */
function total(samples) {
  return samples.reduce((sum, { value }) => sum + value, 0);
}

/** @returns {Part | null} */
function part(used, limit) {
  return used === null ? null : { used, limit: limit > 0 ? limit : null };
}

function cache(metrics, tier) {
  return part(metrics.sum("tileserver_cache_bytes", { tier }), metrics.sum("tileserver_cache_limit_bytes", { tier }));
}

/**
 * Returns the state of each upstream host. Hosts that do not work come first.
 *
 * @param {Metrics} metrics
 * @returns {Upstream[]}
 */
function upstreams(metrics) {
  const found = metrics.all("tileserver_circuit_state").map(({ labels: { host }, value }) => {
    const requests = metrics.all("tileserver_upstream_requests_total", { host });
    return {
      host, state: states[value] ?? "closed", isWorking: value === 0, requests: total(requests),
      failures: total(requests.filter(({ labels }) => failed.includes(labels.result))),
    };
  });
  return found.sort((first, second) => Number(first.isWorking) - Number(second.isWorking));
}

/**
 * Returns the requests a second between two readings, {requests, at}, with `at` in milliseconds. Returns null without an
 * earlier reading, or if the server has started again in between.
 */
export function requestRate(earlier, later) {
  if (!earlier || earlier.requests === null || later.requests === null) return null;
  const [requests, seconds] = [later.requests - earlier.requests, (later.at - earlier.at) / 1000];
  return requests < 0 || seconds <= 0 ? null : requests / seconds;
}

/**
 * Returns the tiles of each layer in the caches, from the answer of `GET /admin/cache`, the largest first. Layers without
 * tiles are left out.
 *
 * @param {{ layers?: { layer: string, [tier: string]: unknown }[] }} document
 */
export function layerSizes(document) {
  const tier = (value) => (value && typeof value === "object" ? value.bytes ?? 0 : 0);
  const count = (value) => (value && typeof value === "object" ? value.entries ?? 0 : 0);
  return (document.layers ?? [])
    .map(({ layer, memory, disk }) => ({
      layer, memory: tier(memory), disk: tier(disk), tiles: Math.max(count(memory), count(disk)),
    }))
    .filter(({ memory, disk, tiles }) => memory + disk + tiles > 0)
    .sort((first, second) => second.memory + second.disk - first.memory - first.disk);
}
