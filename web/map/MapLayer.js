// @ts-check
import { CoordinateBounds } from "../geometry/CoordinateBounds.js";
import { LayerTiles } from "./LayerTiles.js";

/** One layer, or one map drawn by the server, as the page shows it: its document, its place in the stack and its tiles. */
export class MapLayer {
  isVisible = false;
  #scale = 1;

  /** `document` is an entry of layers.json; `release` frees what has been made of a tile's image. */
  constructor(document, release) {
    this.id = document.id;
    this.isMap = Array.isArray(document.layers);
    this.opacity = document.opacity ?? 1;
    this.release = release;
    this.update(document);
    this.tiles = new LayerTiles({ url: (tile) => this.url(tile), release });
  }

  /** Takes what the server says of the layer now. */
  update(document) {
    this.document = document;
    this.name = document.name ?? document.id;
    const [west, , east] = document.bounds ?? [-180, 0, 180, 0];
    this.bounds = east - west >= 360 ? null : CoordinateBounds.box(document.bounds);
  }

  /** What the plan of a view asks of a layer. */
  get kind() {
    return {
      tileSize: this.document.tileSize * this.#scale, minZoom: this.document.minzoom, maxZoom: this.document.maxzoom,
      bounds: this.bounds, zoomRule: this.document.tileZoom ?? "round",
    };
  }

  /** Takes the tiles that suit a screen of `pixels` a point. Tiles of another scale are dropped. */
  setPixels(pixels) {
    const scales = this.document.scales ?? [1];
    const scale = scales.find((each) => each >= pixels - 0.01) ?? scales.at(-1);
    if (scale === this.#scale) return;
    this.#scale = scale;
    this.tiles.clear();
  }

  /** Pixels of a tile for one of the layer's own. */
  get scale() {
    return this.#scale;
  }

  /** The address of a tile, relative to the page: an absolute one may name another host than the page came from. */
  url({ z, x, y }) {
    const suffix = this.#scale === 1 ? `.${this.document.format ?? "png"}` : `@${this.#scale}x.png`;
    // A 404 would be an error in the browser's console, and no tile is none.
    return `${this.id}/${z}/${x}/${y}${suffix}?empty=204`;
  }
}
