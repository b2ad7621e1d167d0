// @ts-check
import { backoff, requestTile } from "./requestTile.js";
import { tileKey } from "./TilePlan.js";

/** Number of failures in a row after which a layer counts as down. */
const enough = 6;

/** @typedef {{ z: number, x: number, y: number }} Place */

/**
 * @typedef {Place & {
 *   kind: string, image: ImageBitmap | null, answer: object | null, failures: number, retryAt: number, usedAt: number,
 *   isExpired: boolean, isNew: boolean, clears: number, shownAt: number | null,
 * }} Tile
 */

/**
 * The tiles of one layer that this page has requested.
 *
 * A tile is {z, x, y, kind, image, answer, failures, retryAt, usedAt, isExpired}. `kind` is "unknown" before the first
 * response, then a kind of `requestTile`. An expired tile keeps its image until the next response.
 */
export class LayerTiles {
  /** @type {Map<string | number, Tile>} */
  #tiles = new Map();
  #failures = 0;
  #url;
  #release;
  #request;

  /**
   * `url({z, x, y})` returns a tile's address. `release(tile)` frees the surface's data of its image. `request` is for
   * tests.
   *
   * @param {{ url: (place: Place) => string, release?: (tile: Tile) => void, request?: typeof requestTile }} options
   */
  constructor({ url, release = () => {}, request = requestTile }) {
    this.#url = url;
    this.#release = release;
    this.#request = request;
  }

  /** Returns the tile, or undefined if the page has never requested it. */
  get({ z, x, y }) {
    return this.#tiles.get(tileKey({ z, x, y }));
  }

  /**
   * True if so many tiles have failed in a row that the layer counts as down. Then one request at a time tests the
   * layer.
   */
  get isDown() {
    return this.#failures >= enough;
  }

  /** Reports whether a tile must be requested at `now`, in milliseconds. */
  isWanted(coordinate, now) {
    const tile = this.get(coordinate);
    if (!tile || tile.kind === "unknown" || tile.isExpired) return !(tile?.retryAt > now);
    return tile.kind === "failed" && tile.retryAt <= now;
  }

  /**
   * Returns the earliest time at which one of the failed tiles may be requested again, in milliseconds, or Infinity if
   * none has failed.
   */
  retryTime(coordinates) {
    return coordinates.reduce((first, coordinate) => {
      const tile = this.get(coordinate);
      const waits = tile && (tile.kind === "failed" || tile.isExpired) && tile.retryAt > 0;
      return waits ? Math.min(first, tile.retryAt) : first;
    }, Infinity);
  }

  /** Requests a tile and keeps the response. Resolves when the response is there. Rejects if `signal` aborts. */
  async load(coordinate, signal) {
    const tile = this.#entry(coordinate);
    const isReload = tile.isExpired;
    const { clears } = tile;
    const result = await this.#request(this.#url(coordinate), { signal, isReload });
    const failures = result.kind === "failed" ? tile.failures + 1 : 0;
    this.#failures = failures ? this.#failures + 1 : 0;
    const wait = failures ? (result.retryAfter ?? backoff(failures)) * 1000 : 0;
    Object.assign(tile, { failures, answer: result.answer, retryAt: failures ? performance.now() + wait : 0 });
    // The tile was cleared again during the request, so this response may be older than the clear.
    if (tile.clears !== clears) return;
    // If the request has failed, keep the old image.
    if (result.kind === "failed" && tile.image) return;
    if (tile.image && !result.image) this.#release(tile);
    Object.assign(tile, { kind: result.kind, image: result.image, isExpired: false, isNew: true });
  }

  /**
   * Marks the tiles for which `isAffected` returns true for a new request that bypasses the browser's cache. Returns
   * their number.
   *
   * @param {(tile: Tile) => boolean} [isAffected]
   */
  expire(isAffected = () => true) {
    let count = 0;
    for (const tile of this.#tiles.values()) {
      if (!isAffected(tile)) continue;
      Object.assign(tile, { isExpired: true, retryAt: 0, clears: tile.clears + 1 });
      count += 1;
    }
    return count;
  }

  /**
   * Requests failed tiles again without waiting, if `isMeant` returns true for them.
   *
   * @param {(tile: Tile) => boolean} isMeant
   */
  retry(isMeant) {
    const failed = [...this.#tiles.values()].filter((tile) => tile.failures > 0 && isMeant(tile));
    for (const tile of failed) tile.retryAt = 0;
  }

  /** Drops the least recently used tiles until at most `most` are left. Keeps the tiles that were used at `now`. */
  trim(most, now) {
    if (this.#tiles.size <= most) return;
    const old = [...this.#tiles.values()].filter((tile) => tile.usedAt < now);
    old.sort((first, second) => first.usedAt - second.usedAt);
    for (const tile of old.slice(0, this.#tiles.size - most)) this.#drop(tile);
  }

  /** Drops all tiles. */
  clear() {
    for (const tile of [...this.#tiles.values()]) this.#drop(tile);
  }

  #drop(tile) {
    this.#tiles.delete(tileKey(tile));
    if (tile.image) this.#release(tile);
  }

  #entry({ z, x, y }) {
    const key = tileKey({ z, x, y });
    let tile = this.#tiles.get(key);
    if (!tile) {
      tile = {
        z, x, y, kind: "unknown", image: null, answer: null, failures: 0, retryAt: 0, usedAt: performance.now(),
        isExpired: false, isNew: false, clears: 0, shownAt: null,
      };
      this.#tiles.set(key, tile);
    }
    return tile;
  }
}
