// @ts-check
import { local } from "../text/LocalText.js";

/** @typedef {{ status: number, code?: string }} Answer */
/** @typedef {{ kind: string, failures: number, answer: Answer | null }} Tile */
/** @typedef {{ z: number, x: number, y: number }} Place */
/** @typedef {{ id: string, name: string, tiles: { isDown: boolean, get: (place: Place) => Tile | undefined } }} Layer */
/**
 * What a view lacks of a layer. "server": the server does not answer. "all" and "some": these tiles are not available
 * now. "refused": another request would not help.
 *
 * @typedef {"server" | "all" | "some" | "refused"} Lack
 */
/** @typedef {{ id: string, name: string, lack: Lack, since: number }} Outage */

/** Maximum number of layers that a sentence names. If it names all but one, it names that one too. */
const mostNames = 2;

/** Reports whether no answer came from the tile server itself: none at all, or a proxy's answer without a code. */
export function isServerFailure(answer) {
  return answer?.status === 0 || ([502, 503, 504].includes(answer?.status) && !answer.code);
}

/**
 * Returns what the view lacks of each shown layer, the longest first. `plans` are the plans of a frame. `before` is the
 * result for the frame before, from which an outage keeps its beginning. `now` is in milliseconds since 1970.
 *
 * @param {{ layer: Layer, plan: { tiles: Place[] } }[]} plans
 * @param {Outage[]} before
 * @param {number} now
 * @returns {Outage[]}
 */
export function outagesOf(plans, before, now) {
  const begun = new Map(before.map(({ id, since }) => [id, since]));
  return plans.flatMap(({ layer, plan }) => {
    const lack = lackOf(layer, plan.tiles);
    return lack ? [{ id: layer.id, name: layer.name, lack, since: begun.get(layer.id) ?? now }] : [];
  }).sort((first, second) => first.since - second.since);
}

/**
 * @param {Layer} layer
 * @param {Place[]} places
 * @returns {Lack | null}
 */
function lackOf(layer, places) {
  const tiles = places.map((place) => layer.tiles.get(place)).filter((tile) => tile?.answer);
  const failed = tiles.filter((tile) => tile.failures > 0);
  if (failed.some((tile) => isServerFailure(tile.answer))) return "server";
  if (failed.length > 0) return layer.tiles.isDown || failed.length === tiles.length ? "all" : "some";
  return tiles.some((tile) => tile.kind === "refused") ? "refused" : null;
}

/**
 * Says in a sentence what is away and since when. Returns an empty text without an outage.
 *
 * @param {Outage[]} outages
 * @param {{ now?: number, text?: import("../text/LocalText.js").LocalText, isOnline?: boolean }} [options]
 */
export function outageText(outages, options = {}) {
  const { now = Date.now(), text = local, isOnline = true } = options;
  const worst = /** @type {const} */ (["server", "all", "some", "refused"]).find((lack) => outages.some((each) => each.lack === lack));
  if (!worst) return "";
  const meant = outages.filter(({ lack }) => lack === worst);
  const since = `since ${text.moment(meant[0].since, now, "short")}`;
  if (worst === "server") return isOnline ? `The server has not answered ${since}.` : `This device has been offline ${since}.`;
  const names = namesText(meant.map(({ name }) => name));
  if (worst === "all") return `${names} ${meant.length === 1 ? "has" : "have"} been unavailable ${since}.`;
  if (worst === "some") return `Some tiles of ${names} have been missing ${since}.`;
  return `The server has refused tiles of ${names} ${since}.`;
}

/** Returns names such as "World, Relief and 3 more". */
export function namesText(names) {
  if (names.length === 1) return names[0];
  if (names.length <= mostNames + 1) return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  return `${names.slice(0, mostNames).join(", ")} and ${names.length - mostNames} more`;
}

/**
 * Says when the page requests a failed tile again. Both times are in milliseconds. Infinity as `retryAt` stands for
 * never.
 */
export function retryText(retryAt, now) {
  if (retryAt === Infinity) return "";
  const seconds = Math.ceil((retryAt - now) / 1000);
  return seconds > 0 ? `Trying again in ${local.number(seconds)} s.` : "Trying again …";
}
