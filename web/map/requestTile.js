// @ts-check
/**
 * Returns the seconds before a failed tile is requested again, if its response does not say: 1, 2, 4 … 64, by failures
 * in a row.
 */
export function backoff(failures) {
  return Math.min(2 ** (failures - 1), 64);
}

/**
 * Requests one tile. Resolves to {kind, image, retryAfter, answer}.
 *
 * `kind` is "image"; "none" if the tile does not exist; "failed" if it is not available now; or "refused" if another
 * request would not help. `retryAfter` is in seconds, or null if the response has none. `answer` has the response's
 * details for the user: {status, tileStatus, cacheStatus, age, milliseconds, code, title, requestId, date}.
 *
 * The browser revalidates a tile in its cache, because another page may have cleared the tile. `isReload` bypasses the
 * cache. The promise rejects only if `signal` aborts.
 */
export async function requestTile(url, { signal, isReload = false, fetch = globalThis.fetch, decode = decodeImage }) {
  const began = performance.now();
  let response;
  try {
    response = await fetch(url, { signal, cache: isReload ? "reload" : "no-cache", credentials: "same-origin" });
    const answer = described(response, began);
    const kind = kindOf(response);
    if (kind === "image") {
      const image = await decode(await response.blob());
      answer.milliseconds = performance.now() - began;
      return { kind, image, answer, retryAfter: null };
    }
    if (kind !== "none") Object.assign(answer, await problem(response, signal));
    return { kind, image: null, answer, retryAfter: seconds(response.headers.get("Retry-After")) };
  } catch (error) {
    if (signal?.aborted) throw error;
    // The connection has failed, or the content is not an image.
    const answer = response ? described(response, began) : { status: 0, milliseconds: performance.now() - began };
    answer.title = response ? "The image cannot be decoded." : "The server cannot be reached.";
    return { kind: "failed", image: null, answer, retryAfter: null };
  }
}

function kindOf(response) {
  const isEmpty = response.headers.get("X-Tile-Status") === "no-tile";
  if (response.status === 204 || isEmpty) return "none";
  if (response.status === 200) return "image";
  return response.status >= 500 || response.status === 429 ? "failed" : "refused";
}

function described(response, began) {
  const field = (name) => response.headers.get(name);
  return {
    status: response.status, tileStatus: field("X-Tile-Status"), cacheStatus: field("Cache-Status"),
    age: field("Age") === null ? null : Number(field("Age")), milliseconds: performance.now() - began,
    fill: field("Server-Timing"), degraded: field("X-Tile-Degraded"), upscaled: field("X-Tile-Upscaled"),
    sourceZoom: field("X-Tile-Source-Zoom"), requestId: field("X-Request-Id"), date: field("Date"),
    // The content of an error may be a picture, without the JSON that has the code too.
    code: field("X-Problem"),
  };
}

/** Returns the code and the title of a problem (RFC 9457), or nothing if the content is no problem. */
async function problem(response, signal) {
  try {
    const { code = response.headers.get("X-Problem"), title } = await response.json();
    return { code, title };
  } catch (error) {
    // The request was aborted, which says nothing about the tile.
    if (signal?.aborted) throw error;
    return {};
  }
}

/** Returns Retry-After in seconds, if it is a number, as the server sends it. Otherwise null. */
function seconds(text) {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

function decodeImage(blob) {
  return createImageBitmap(blob, { premultiplyAlpha: "premultiply", colorSpaceConversion: "none" });
}
