// @ts-check
import { local } from "../text/LocalText.js";

/** @typedef {{ fresh: boolean, age: number, ttl: number, content: string, bytes?: number, size?: number[], etag?: string }} Held */
/** @typedef {Held & { staleWhileRevalidate?: number, staleIfError?: number }} HeldTile */
/** @typedef {{ result: string, at: string, error?: string, status?: number, failures?: number, why?: string }} LastAnswer */
/** @typedef {{ breaker: string, failures: number, waiting: number, url?: string, pause?: number, triedAgainIn?: number }} Upstream */
/** @typedef {{ minzoom?: number, maxzoom?: number, layers?: object[] }} LayerDocument */
/**
 * The answer of `GET /admin/explain/{layer}/{z}/{x}/{y}`.
 *
 * @typedef {{
 *   tile: string, scale?: number, inside: boolean, drawn: boolean, offline: boolean, fetching: boolean,
 *   memory: HeldTile | null, disk: HeldTile | null, fleet?: HeldTile | null, retryAfter?: number,
 *   lastAnswer?: LastAnswer, upstream?: Upstream, freshness?: { inherited?: boolean }
 * }} Answer
 */

/** Seconds that the server takes as "no end". */
const endless = 1e9;

/** Names of image types. */
const formats = { "image/png": "PNG", "image/jpeg": "JPEG", "image/webp": "WebP", "image/gif": "GIF" };

/**
 * Returns the server's explanation of a tile as sentences. `document` is the layer's entry in layers.json. `now` is in
 * milliseconds since 1970.
 *
 * @param {Answer} answer
 * @param {{ document?: LayerDocument, now?: number, text?: import("../text/LocalText.js").LocalText }} [options]
 */
export function explanationOf(answer, options = {}) {
  const { document = {}, now = Date.now(), text = local } = options;
  if (!answer.inside) return [outside(answer.tile, document)];
  if (!answer.drawn) return [`The layer has no tiles with ${answer.scale} pixels a point.`];
  return [
    ...held(answer, text), ...lifetimes(answer, text), ...source(answer, document.layers ? "The map" : "The layer", now, text),
    answer.fetching && (answer.upstream ? "The server asks the source for this tile now." : "The server makes or reads this tile now."),
    answer.offline && "The layer is offline: the server asks no source for it.",
    ...next(answer),
  ].filter(Boolean);
}

/**
 * Says why a layer has no tile at these coordinates.
 *
 * @param {string} tile
 * @param {LayerDocument} document
 */
function outside(tile, { minzoom, maxzoom }) {
  const z = Number(tile.split("/")[0]);
  if (z < minzoom) return `The layer has no tile ${tile}: it begins at zoom ${minzoom}.`;
  if (z > maxzoom) return `The layer has no tile ${tile}: it ends at zoom ${maxzoom}.`;
  return `The layer has no tile ${tile}: the tile lies outside the layer's bounds.`;
}

/**
 * Says what the caches hold of the tile.
 *
 * @param {Answer} answer
 */
function held({ memory, disk, fleet }, text) {
  const tiers = Object.entries({ "memory cache": memory, "disk cache": disk, "cache of the fleet": fleet }).filter(([, tile]) => tile);
  if (tiers.length === 0) return ["No cache holds this tile."];
  const [[first, tile], ...others] = tiers;
  const sentences = [`The ${first} ${contentOf(tile, text)}.`];
  for (const [name, other] of others) {
    const isSame = other.etag === tile.etag && other.content === tile.content && other.fresh === tile.fresh;
    sentences.push(isSame ? `The ${name} holds the same.` : `The ${name} ${contentOf(other, text)}.`);
  }
  return sentences;
}

/**
 * Says what a cache holds.
 *
 * @param {HeldTile} tile
 * @param {import("../text/LocalText.js").LocalText} text
 */
function contentOf({ content, bytes, size, fresh, ttl }, text) {
  const left = ttl > endless ? "for ever" : `for another ${text.duration(ttl)}`;
  const age = `stale for ${text.duration(Math.max(-ttl, 0))}`;
  if (content === "no-tile") return `knows that there is no tile here, ${fresh ? left : age}`;
  const pixels = size ? `, ${size[0]}\u00a0×\u00a0${size[1]} pixels` : "";
  return `holds this tile: ${formats[content] ?? content}${pixels}, ${text.size(bytes ?? 0)}, ${fresh ? `fresh ${left}` : age}`;
}

/**
 * Says what the server does with a stale tile, and where a map's lifetimes come from.
 *
 * @param {Answer} answer
 */
function lifetimes({ memory, disk, fleet, freshness: policy, lastAnswer }, text) {
  const tile = memory ?? disk ?? fleet;
  if (!tile) return [];
  if (tile.fresh) return policy?.inherited ? ["Tiles of a map stay fresh as long as the tiles of its layers."] : [];
  const age = -tile.ttl;
  const [revalidated, kept] = [(tile.staleWhileRevalidate ?? 0) - age, (tile.staleIfError ?? 0) - age];
  const isFailing = lastAnswer?.result === "unavailable";
  if (isFailing && kept > 0) return [`Clients get the stale tile for another ${text.duration(kept)}, unless a new one comes.`];
  if (revalidated > 0) return ["The next client gets the stale tile at once, and the server gets a new one meanwhile."];
  if (kept > 0) return [`The next client waits for a new tile, and gets the stale one if there is none (another ${text.duration(kept)}).`];
  return ["The stale tile is too old to be served."];
}

/**
 * Says what the source answered, and when the server asks again. `name` stands for a source without a URL.
 *
 * @param {Answer} answer
 */
function source({ lastAnswer, upstream, retryAfter = 0 }, name, now, text) {
  const sentences = [];
  if (lastAnswer) sentences.push(...lastSentences(lastAnswer, upstream?.url ? `The source ${upstream.url}` : name, now, text));
  else if (upstream?.url && !/open/.test(upstream.breaker)) sentences.push(`The source is ${upstream.url}.`);
  if (!upstream) return retryAfter > 0 ? [...sentences, `The server tries again in ${text.duration(retryAfter)}.`] : sentences;
  const { breaker, triedAgainIn = 0, pause = 0, waiting } = upstream;
  if (breaker === "half_open") sentences.push("The server tries the source again with one request.");
  else if (breaker === "open") {
    const when = triedAgainIn > 0 ? `in ${text.duration(triedAgainIn)}` : "with the next request";
    sentences.push(`The last ${text.number(upstream.failures)} requests to the source failed, so the server asks again only ${when}.`);
  } else if (pause > 0) {
    sentences.push(`The source asked the server to wait, so the server asks again in ${text.duration(pause)}.`);
  } else if (retryAfter > 0) {
    sentences.push(`The server asks again in ${text.duration(retryAfter)}.`);
  }
  if (waiting > 0) sentences.push(`${text.number(waiting)} ${waiting === 1 ? "request waits" : "requests wait"} for the source.`);
  return sentences;
}

/**
 * @param {LastAnswer} last
 * @param {string} subject
 */
function lastSentences({ result, at, error, status, failures = 1, why }, subject, now, text) {
  const time = `at ${text.moment(Date.parse(at), now)}`;
  if (result === "tile") return [`${subject} gave the tile ${time}.`];
  if (result === "no-tile") return [`${subject} had no tile here ${time}.`];
  const reasons = {
    status: `answered ${status}`, timeout: "did not answer in time", unreachable: "could not be reached",
    "not-an-image": "answered with something that is no image", placeholder: "answered with a picture that the configuration rejects",
    down: "was not asked, because it does not work", "backing-off": "was not asked, because it failed shortly before",
    offline: "was not asked, because the layer is offline", corrupt: "had a broken tile", "too-complex": "had too much to draw",
    overloaded: "was not asked, because the server had too much to do", failed: "failed",
  };
  const often = failures > 1 ? ` It has failed ${text.number(failures)} times in a row.` : "";
  const detail = why ? `: ${why}` : "";
  return [`${subject} ${reasons[error] ?? "was not available"} ${time}${detail}.${often}`];
}

/**
 * Says what happens at the next request of a tile that no cache holds.
 *
 * @param {Answer} answer
 */
function next({ memory, disk, fleet, fetching, offline, lastAnswer, upstream }) {
  if (memory || disk || fleet || fetching || offline || lastAnswer) return [];
  if (upstream) return upstream.breaker === "closed" ? ["The server asks it when a client wants the tile."] : [];
  return ["The server makes or reads the tile when a client wants it."];
}
