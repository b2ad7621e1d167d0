// @ts-check
import { project } from "../geometry/mercator.js";
import { attributionText } from "./attributionText.js";
import { oneLine } from "./quoted.js";
import { isWorld, startView } from "./startView.js";

/**
 * Deepest zoom at which Google's and Apple's maps request tiles. They show nothing beyond a layer's own maximum zoom.
 */
const deepest = 22;

/** A layer or map as snippets need it: its document of layers.json, and the URL under which clients find the server. */
export class ClientLayer {
  /**
   * `base` is an absolute URL, with or without a slash at its end. Throws a TypeError if it is not. `camera` is the
   * camera of the user's page, or null.
   *
   * @param {string} base
   * @param {import("./startView.js").Camera | null} camera
   */
  constructor(document, base, camera = null) {
    const { protocol, origin, pathname } = new URL(base);
    if (!/^https?:$/.test(protocol)) throw new TypeError("expected a URL that begins with https:// or http://");
    /** Without a slash at its end. */
    this.base = (origin + pathname).replace(/\/+$/, "");
    this.id = document.id;
    this.name = oneLine(document.name ?? document.id);
    this.minZoom = document.minzoom ?? 0;
    this.maxZoom = document.maxzoom ?? deepest;
    this.tileSize = document.tileSize ?? 256;
    this.format = document.format ?? "png";
    this.opacity = document.opacity ?? 1;
    this.zIndex = document.zIndex ?? 0;
    /** True if the layer has tiles with two pixels a point. */
    this.isDense = (document.scales ?? [1]).includes(2);
    this.attribution = attributionText(document.attribution ?? "");
    const [west, south, east, north] = (document.bounds ?? [-180, -90, 180, 90]).map((edge) => Number(edge.toFixed(7)));
    this.box = { west, south, east, north };
    /** Start view of a map. */
    this.view = startView(document, this.box, this.levels, camera);
  }

  /** The layer's zooms {min, max} for clients that count in tiles of 256 points. */
  get levels() {
    const depth = this.depth ?? 0;
    return { min: Math.max(this.minZoom + depth, 0), max: this.maxZoom + depth };
  }

  /**
   * {west, south, east, north} in degrees. Null if the layer covers the world or crosses the antimeridian, because
   * clients accept no such box.
   */
  get bounds() {
    return this.box.west > this.box.east || isWorld(this.box) ? null : this.box;
  }

  /**
   * `bounds` as fractions of the world's square from its upper left corner: {left, top, right, bottom}, 0…1, or null.
   */
  get edges() {
    if (!this.bounds) return null;
    const { west, south, east, north } = this.bounds;
    const [first, last] = [project({ latitude: north, longitude: west }), project({ latitude: south, longitude: east })];
    const [left, top, right, bottom] = [first.x, first.y, last.x, last.y].map((part) => Number(part.toFixed(9)));
    return { left, top, right, bottom };
  }

  /** The start view's zoom for clients that count in tiles of 512 points, such as MapLibre. */
  get zoomOf512() {
    return Number((this.view.zoom - 1).toFixed(3));
  }

  /** The tile of the layer that is nearest to the start view: {z, x, y}. */
  get tile() {
    const z = Math.min(Math.max(Math.round(this.view.zoom - (this.depth ?? 0)), this.minZoom), this.maxZoom);
    const { x, y } = project(this.view);
    const { left, top, right, bottom } = this.edges ?? { left: 0, top: 0, right: 1, bottom: 1 };
    const number = (part, first, last) =>
      Math.max(Math.min(Math.floor(part * 2 ** z), Math.ceil(last * 2 ** z) - 1), Math.floor(first * 2 ** z));
    return { z, x: number(x, left, right), y: number(y, top, bottom) };
  }

  /**
   * Number of zooms by which a client that counts in tiles of 256 points is deeper: 1 for tiles of 512. Null if the
   * number is not whole.
   */
  get depth() {
    const depth = Math.log2(this.tileSize / 256);
    return Number.isInteger(depth) ? depth : null;
  }

  /** The scale whose tiles have 512 pixels, which suit screens of phones, or 1 if there is none. */
  get phoneScale() {
    return this.tileSize <= 256 && this.isDense ? 2 : 1;
  }

  /**
   * The value of `empty` for maps that cannot enlarge tiles. If such a map goes deeper than the layer, the server cuts
   * tiles out of coarser zooms.
   */
  get phoneEmpty() {
    return this.maxZoom < deepest ? "overzoom" : "transparent";
  }

  /**
   * Returns the path of a tile after `base`, with a client's own placeholders for the coordinates. `ratio` replaces
   * "@2x". `.png` exists in every scale. Another format exists only in the upstream's own scale.
   */
  path({ z = "{z}", x = "{x}", y = "{y}", ratio = "", empty, takesWebP = false }) {
    const isPlain = ratio === "" && (this.format !== "webp" || takesWebP);
    return `/${this.id}/${z}/${x}/${y}${ratio}.${isPlain ? this.format : "png"}?empty=${empty}`;
  }
}

/** Joins `parts` to one text. Null stands for a missing line. */
export function lines(...parts) {
  return parts.flat().filter((part) => part !== null && part !== undefined && part !== false).join("\n");
}

/** Joins sentences to a paragraph. Null stands for a missing sentence. */
export function sentences(...parts) {
  return parts.filter((part) => part !== null).join(" ");
}
