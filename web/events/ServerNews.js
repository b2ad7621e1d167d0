// @ts-check
import { isAffected } from "./affected.js";
import { subscribe } from "./subscribe.js";

/**
 * Keeps a page up to date with the server. It requests cleared tiles again, and reads layers that are added, changed or
 * removed. web/README.md describes the events.
 */
export class ServerNews {
  #viewer;
  #server;
  /**
   * Changes of layers whose documents must be read, by id, with "*" for all. One request reads the documents for all
   * changes so far.
   */
  #changed = new Map();
  #isReading = false;

  /** `viewer` has `stack`, `map`, `cachePanel` and `setDocuments`. */
  constructor(viewer, server) {
    [this.#viewer, this.#server] = [viewer, server];
  }

  start() {
    subscribe(this.#server, (event) => this.take(event));
  }

  /** Handles an event. Returns the number of tiles that must be requested again. */
  take(event) {
    if (event.type === "clear") return this.#clear(event);
    if (event.type === "layer") this.#readLayers(event.layer, event.change);
    // The page has missed events, so everything may have changed.
    if (event.type === "reset") {
      this.#readLayers("*");
      return this.#expire({ layer: "*" }, "all tiles may have changed");
    }
    return 0;
  }

  #clear(event) {
    return this.#expire(event, `${event.layer === "*" ? "all layers" : event.layer}: ${partOf(event)} ${event.soft ? "stale" : "cleared"}`);
  }

  /** Requests the tiles of an event again. `text` gives the reason. */
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
      // The server is down. The page keeps its layers until the next event.
    } finally {
      this.#isReading = false;
    }
  }
}

/** Returns in words which tiles of a layer an event is about. */
export function partOf({ tile, bbox, zoom }) {
  if (tile) return `tile ${tile.join("/")}`;
  const zooms = zoom ? ` of zoom ${zoom[0] === zoom[1] ? zoom[0] : zoom.join("–")}` : "";
  return (bbox ? `box ${bbox.map((edge) => Number(edge.toFixed(4))).join(", ")}` : "all tiles") + zooms;
}
