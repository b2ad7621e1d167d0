// @ts-check
import { CoordinateBounds } from "../geometry/CoordinateBounds.js";
import { LayerTiles } from "./LayerTiles.js";

/** A layer, or a map drawn by the server, on the page: its document, its place in the stack and its tiles. */
export class MapLayer {
  isVisible = false;
  #scale = 1;

  /** `document` is an entry of layers.json. `release` frees the surface's data of a tile's image. */
  constructor(document, release) {
    this.id = document.id;
    this.isMap = Array.isArray(document.layers);
    this.opacity = document.opacity ?? 1;
    this.release = release;
    this.update(document);
    this.tiles = new LayerTiles({ url: (tile) => this.url(tile), release });
  }

  /** Takes the server's current document of the layer. */
  update(document) {
    this.document = document;
    this.name = document.name ?? document.id;
    const [west, , east] = document.bounds ?? [-180, 0, 180, 0];
    this.bounds = east - west >= 360 ? null : CoordinateBounds.box(document.bounds);
  }

  /** The layer's properties that a view's plan depends on. */
  get kind() {
    return {
      tileSize: this.document.tileSize * this.#scale, minZoom: this.document.minzoom, maxZoom: this.document.maxzoom,
      bounds: this.bounds, zoomRule: this.document.tileZoom ?? "round",
      // The bounds of a GeoJSON file end at its points. Their discs and labels extend into the tiles around.
      reach: this.document.kind === "geojson" ? 1 : 0,
    };
  }

  /** Selects the tiles for a screen of `pixels` a point. Drops tiles of another scale. */
  setPixels(pixels) {
    const scales = this.document.scales ?? [1];
    const scale = scales.find((each) => each >= pixels - 0.01) ?? scales.at(-1);
    if (scale === this.#scale) return;
    this.#scale = scale;
    this.tiles.clear();
  }

  /** Number of pixels in a requested tile for each pixel of the layer's own tile. */
  get scale() {
    return this.#scale;
  }

  /** Returns a tile's URL relative to the page. An absolute URL might name another host than the page's. */
  url({ z, x, y }) {
    const suffix = this.#scale === 1 ? `.${this.document.format ?? "png"}` : `@${this.#scale}x.png`;
    // A missing tile is no error, so ask for 204. A 404 would appear as an error in the browser's console.
    return `${this.id}/${z}/${x}/${y}${suffix}?empty=204`;
  }
}
