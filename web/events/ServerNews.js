// @ts-check
import { isAffected } from "./affected.js";
import { subscribe } from "./subscribe.js";

/**
 * Keeps a page at what the server has: tiles that are cleared are asked for again, layers that are added, changed or removed are
 * read anew. web/README.md says what the events are.
 */
export class ServerNews {
  #viewer;
  #server;
  /** What became of layers that are to be read, by id, "*" for all; a document is asked for once for all that have come until then. */
  #changed = new Map();
  #isReading = false;

  /** `viewer` has `stack`, `map`, `cachePanel` and `setDocuments`. */
  constructor(viewer, server) {
    [this.#viewer, this.#server] = [viewer, server];
  }

  start() {
    subscribe(this.#server, (event) => this.take(event));
  }

  /** Does what an event asks for. Returns how many tiles must be asked for again. */
  take(event) {
    if (event.type === "clear") return this.#clear(event);
    if (event.type === "layer") this.#readLayers(event.layer, event.change);
    // What has happened since is not known any more.
    if (event.type === "reset") {
      this.#readLayers("*");
      return this.#expire({ layer: "*" }, "all tiles may have changed");
    }
    return 0;
  }

  #clear(event) {
    return this.#expire(event, `${event.layer === "*" ? "all layers" : event.layer}: ${partOf(event)} ${event.soft ? "stale" : "cleared"}`);
  }

  /** Has the tiles that an event is about asked for again; `text` says why. */
  #expire(event, text) {
    const { stack, map, cachePanel } = this.#viewer;
    let count = 0;
    for (const layer of stack.entries.values()) {
      if (event.layer !== "*" && event.layer !== layer.id) continue;
      count += layer.tiles.expire((tile) => isAffected(event, tile, layer.scale));
    }
    cachePanel.note(`${text}, ${count} reloaded`);
    map.invalidate();
    return count;
  }

  async #readLayers(layer, change) {
    this.#changed.set(layer, change);
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#changed.size > 0) {
        const changed = [...this.#changed];
        this.#changed.clear();
        this.#viewer.setDocuments(await this.#server.documents());
        for (const [id, what] of changed) if (id !== "*") this.#expire({ layer: id }, `${id}: ${what ?? "changed"}`);
      }
    } catch {
      // The server is away: what is shown stays until the next event.
    } finally {
      this.#isReading = false;
    }
  }
}

/** Which tiles of a layer an event is about, in words. */
export function partOf({ tile, bbox, zoom }) {
  if (tile) return `tile ${tile.join("/")}`;
  const zooms = zoom ? ` of zoom ${zoom[0] === zoom[1] ? zoom[0] : zoom.join("–")}` : "";
  return (bbox ? `box ${bbox.map((edge) => Number(edge.toFixed(4))).join(", ")}` : "all tiles") + zooms;
}
