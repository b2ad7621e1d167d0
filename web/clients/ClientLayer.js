// @ts-check
import { project } from "../geometry/mercator.js";
import { attributionText } from "./attributionText.js";
import { oneLine } from "./quoted.js";

/** The deepest zoom that maps of Google and Apple ask tiles of. They show nothing of a layer that ends above. */
const deepest = 22;

/** What a snippet needs to know of a layer or map: its document of layers.json, and where clients find the server. */
export class ClientLayer {
  /** `base` is an absolute URL, with a slash at its end or without. Throws a TypeError where it is none. */
  constructor(document, base) {
    const { protocol, origin, pathname } = new URL(base);
    if (!/^https?:$/.test(protocol)) throw new TypeError("expected a URL that begins with https:// or http://");
    /** Without a slash at its end. */
    this.base = (origin + pathname).replace(/\/+$/, "");
    this.isEncrypted = protocol === "https:";
    this.id = document.id;
    this.name = oneLine(document.name ?? document.id);
    this.minZoom = document.minzoom ?? 0;
    this.maxZoom = document.maxzoom ?? deepest;
    this.tileSize = document.tileSize ?? 256;
    this.format = document.format ?? "png";
    this.opacity = document.opacity ?? 1;
    this.zIndex = document.zIndex ?? 0;
    /** Whether there are tiles of two pixels a point. */
    this.isDense = (document.scales ?? [1]).includes(2);
    this.attribution = attributionText(document.attribution ?? "");
    const [west, south, east, north] = (document.bounds ?? [-180, -90, 180, 90]).map((edge) => Number(edge.toFixed(7)));
    this.box = { west, south, east, north };
  }

  /** {west, south, east, north} in degrees; null where the layer covers the world, or crosses the antimeridian: clients take no such box. */
  get bounds() {
    const { west, south, east, north } = this.box;
    return west > east || (east - west >= 360 && south < -85 && north > 85) ? null : this.box;
  }

  /** `bounds` as parts of the world's square, from its upper left corner: {left, top, right, bottom}, 0…1, or null. */
  get edges() {
    if (!this.bounds) return null;
    const { west, south, east, north } = this.bounds;
    const [first, last] = [project({ latitude: north, longitude: west }), project({ latitude: south, longitude: east })];
    const [left, top, right, bottom] = [first.x, first.y, last.x, last.y].map((part) => Number(part.toFixed(9)));
    return { left, top, right, bottom };
  }

  /** Where a map begins: {latitude, longitude, zoom}, of tiles of 256 points. At lower zooms than 2 the world is smaller than most maps. */
  get view() {
    const { west, south, east, north } = this.box;
    if (!this.bounds && west < east) return { latitude: 20, longitude: 0, zoom: Math.max(2, this.minZoom) };
    const width = east - west + (east < west ? 360 : 0);
    const middle = (west + width / 2 + 540) % 360 - 180;
    const across = Math.max(width / 360, (north - south) / 170, 1e-9);
    const zoom = Math.min(Math.max(Math.floor(Math.log2(2 / across)), 2, this.minZoom), this.maxZoom);
    return { latitude: Number(((south + north) / 2).toFixed(6)), longitude: Number(middle.toFixed(6)), zoom };
  }

  /** The tile where a map begins: {z, x, y}. */
  get tile() {
    const { zoom: z, ...place } = this.view;
    const { x, y } = project(place);
    const number = (part) => Math.min(Math.max(Math.floor(part * 2 ** z), 0), 2 ** z - 1);
    return { z, x: number(x), y: number(y) };
  }

  /** By how much a client that counts in tiles of 256 points is deeper than these: 1 for tiles of 512. Null where that is no whole number. */
  get depth() {
    const depth = Math.log2(this.tileSize / 256);
    return Number.isInteger(depth) ? depth : null;
  }

  /** The scale whose tiles have 512 pixels, as screens of phones want them, or 1 where there is none. */
  get phoneScale() {
    return this.tileSize <= 256 && this.isDense ? 2 : 1;
  }

  /** What a missing tile is to be for maps that cannot enlarge others: cut out of the zooms above, where these maps go deeper. */
  get phoneEmpty() {
    return this.maxZoom < deepest ? "overzoom" : "transparent";
  }

  /**
   * The path of a tile, from the slash behind `base`, in a client's own words for its coordinates. `ratio` stands where "@2x" does.
   * `.png` is there in every scale; a format that the source sends only as its source sends it.
   */
  path({ z = "{z}", x = "{x}", y = "{y}", ratio = "", empty, takesWebP = false }) {
    const isPlain = ratio === "" && (this.format !== "webp" || takesWebP);
    return `/${this.id}/${z}/${x}/${y}${ratio}.${isPlain ? this.format : "png"}?empty=${empty}`;
  }
}

/** `lines` as one text; null stands for a line that is not there. */
export function lines(...parts) {
  return parts.flat().filter((part) => part !== null && part !== undefined && part !== false).join("\n");
}
