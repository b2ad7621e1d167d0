// @ts-check
/** @typedef {import("../geometry/CoordinateBounds.js").CoordinateBounds} CoordinateBounds */
/** @typedef {{ tile?: { z: number, x: number, y: number }, box?: CoordinateBounds, isSoft?: boolean }} Part */

/** Sends the page's requests to the server. Addresses are relative to the page's own, so any path prefix works. */
export class Server {
  #token = null;

  /** `base` ends with a slash. Only this object keeps the token, so the token is gone when the page closes. */
  constructor(base = document.baseURI) {
    this.base = new URL(".", base).href;
  }

  get hasToken() {
    return this.#token !== null;
  }

  set token(text) {
    this.#token = text || null;
  }

  /** Returns an absolute address. */
  address(path) {
    return new URL(path, this.base).href;
  }

  /** Returns the documents of all layers and maps, as in layers.json. */
  async documents() {
    const response = await fetch(this.address("layers.json"), { cache: "no-cache" });
    if (!response.ok) throw new ServerError(response.status, "The list of layers is not available.");
    return response.json();
  }

  /** Returns the named places of a layer or map, as in places.json. Returns none if the server does not answer. */
  async places(layer) {
    try {
      const response = await fetch(this.address(`${layer}/places.json`), { cache: "no-cache" });
      return response.ok ? await response.json() : [];
    } catch {
      // A search by coordinates and by layers works without names of places.
      return [];
    }
  }

  /** Returns the name and the version of the server: {name, version}. */
  async version() {
    const response = await fetch(this.address("version"), { cache: "no-cache" });
    if (!response.ok) throw await ServerError.of(response);
    return response.json();
  }

  /** Exchanges a code from the page's address for the token. The code cannot be used again. */
  async tokenFor(code) {
    const response = await fetch(this.address("admin/token"), {
      method: "POST", headers: { Authorization: `Bearer ${code}` }, cache: "no-store",
    });
    if (!response.ok) throw await ServerError.of(response);
    return (await response.json()).token;
  }

  /**
   * Clears a layer, or a part of it. `isSoft` makes tiles stale.
   *
   * @param {string} layer
   * @param {Part} part
   */
  clear(layer, { tile, box, isSoft } = {}) {
    // A clear of one tile removes it. An expire list makes its tiles stale.
    if (tile && isSoft) return this.#administer("POST", `admin/expire/${layer}`, `${tile.z}/${tile.x}/${tile.y}\n`);
    return this.#administer("DELETE", clearPath(layer, { tile, box, isSoft }));
  }

  /** Returns the server's explanation of one tile, with `scale` pixels a point. */
  explain(layer, { z, x, y }, scale = 1) {
    return this.#administer("GET", `admin/explain/${layer}/${z}/${x}/${y}${scale === 1 ? "" : `@${scale}x`}`);
  }

  /** Returns the contents of the cache, as in `GET /admin/cache`. */
  cache() {
    return this.#administer("GET", "admin/cache");
  }

  /** Returns the server's metrics as text. Without the token, only a server with `metrics.public` answers. */
  async metrics() {
    return (await this.#ask("GET", "metrics")).text();
  }

  /**
   * Returns a flight of the camera as an animated PNG, a blob. `body` is the body of `POST /{map}/camera/animation`.
   */
  async animation(map, body, signal) {
    const response = await fetch(this.address(`${map}/camera/animation`), {
      method: "POST", headers: { "Content-Type": "application/json", Accept: "image/apng" }, body: JSON.stringify(body), signal,
    });
    if (!response.ok) throw await ServerError.of(response);
    return response.blob();
  }

  async #administer(method, path, body = null) {
    return (await this.#ask(method, path, body)).json();
  }

  /** Sends a request with the token, if the page has it. Forgets a token that the server refuses. */
  async #ask(method, path, body = null) {
    const headers = this.#token === null ? {} : { Authorization: `Bearer ${this.#token}` };
    const response = await fetch(this.address(path), { method, headers, body, cache: "no-store" });
    if (response.status === 401) this.#token = null;
    if (!response.ok) throw await ServerError.of(response);
    return response;
  }
}

/**
 * The path that clears a layer, a tile or a box.
 *
 * @param {string} layer
 * @param {Part} part
 */
export function clearPath(layer, { tile, box, isSoft } = {}) {
  const path = tile ? `admin/cache/${layer}/${tile.z}/${tile.x}/${tile.y}` : `admin/cache/${layer}`;
  const query = [];
  if (box) {
    const edges = [box.longitudes.west, box.south, box.longitudes.east, box.north];
    query.push(`bbox=${edges.map((edge) => Number(edge.toFixed(9))).join(",")}`);
  }
  if (isSoft) query.push("soft=1");
  return query.length > 0 ? `${path}?${query.join("&")}` : path;
}

/** An error response: its status, and the text of its problem. */
export class ServerError extends Error {
  constructor(status, title, code = null) {
    super(title);
    this.name = "ServerError";
    this.status = status;
    this.code = code;
  }

  static async of(response) {
    try {
      const { title, code } = await response.json();
      return new ServerError(response.status, title ?? `The server answers ${response.status}.`, code);
    } catch {
      return new ServerError(response.status, `The server answers ${response.status}.`);
    }
  }
}
