import { isAffected } from "./affected.js";
import { subscribe } from "./subscribe.js";

/**
 * Keeps a page at what the server has: tiles that are cleared are asked for again, layers that are added, changed or removed are
 * read anew. web/README.md says what the events are.
 */
export class ServerNews {
  #viewer;
  #server;

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
    if (event.type === "layer") this.#readLayers(event);
    // The server does not know any more what has happened since.
    if (event.type === "reset") {
      this.#readLayers(event);
      return this.#clear({ layer: "*" });
    }
    return 0;
  }

  #clear(event) {
    const { stack, map, cachePanel } = this.#viewer;
    let count = 0;
    for (const layer of stack.entries.values()) {
      if (event.layer !== "*" && event.layer !== layer.id) continue;
      count += layer.tiles.expire((tile) => isAffected(event, tile, layer.scale));
    }
    cachePanel.note(`${event.layer}: ${partOf(event)} ${event.soft ? "stale" : "cleared"}, ${count} reloaded`);
    map.invalidate();
    return count;
  }

  async #readLayers(event) {
    try {
      this.#viewer.setDocuments(await this.#server.documents());
      if (event.layer) this.#clear({ layer: event.layer });
    } catch {
      // The server is away: what is shown stays until the next event.
    }
  }
}

/** Which tiles of a layer an event is about, in words. */
export function partOf({ tile, bbox, zoom }) {
  if (tile) return `tile ${tile.join("/")}`;
  const zooms = zoom ? ` of zoom ${zoom[0] === zoom[1] ? zoom[0] : zoom.join("–")}` : "";
  return (bbox ? `box ${bbox.map((edge) => Number(edge.toFixed(4))).join(", ")}` : "all tiles") + zooms;
}
