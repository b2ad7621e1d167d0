// @ts-check
import { MapView } from "../geometry/MapView.js";
import { ViewingAngleLimit } from "../geometry/ViewingAngleLimit.js";
import { Viewport } from "../geometry/Viewport.js";
import { FramePace } from "./FramePace.js";
import { FlatSurface } from "./FlatSurface.js";
import { fadeTime, piecesOf } from "./pieces.js";
import { backgroundOf, paddingOf, rulesOf } from "./mapRules.js";
import { ScreenGround } from "./ScreenGround.js";
import { observeRequestLimit } from "./requestLimit.js";
import { planTiles, tileKey } from "./TilePlan.js";
import { TileQueue } from "./TileQueue.js";
import { WebGLSurface } from "./WebGLSurface.js";

/** Maximum number of tiles that a layer keeps, and maximum milliseconds of a frame for making textures. */
const [mostTiles, uploadTime] = [400, 6];

/**
 * A map in a canvas: layers over each other, as a camera sees them. Owns the canvas and the requests for its tiles.
 *
 * Draws a frame only after a change. Events: "move" when the camera has moved, "frame" after each frame with `detail`
 * {ground, plans}, and "tile" after each response.
 */
export class MapCanvas extends EventTarget {
  layers = [];
  #canvas;
  #surface;
  #width = 1;
  #queue = new TileQueue();
  #document = {};
  #camera = { latitude: 0, longitude: 0, zoom: 0, bearing: 0, viewingAngle: 0 };
  #frame = 0;
  #retry = 0;
  #retryAt = Infinity;
  #pace = new FramePace();
  #darkScheme = matchMedia("(prefers-color-scheme: dark)");

  constructor(canvas, { isFlat = false } = {}) {
    super();
    this.#canvas = canvas;
    const onLoss = () => this.#forget();
    this.#surface = (!isFlat && WebGLSurface.on(canvas, onLoss)) || FlatSurface.on(canvas);
    this.view = new MapView(this.#rules(), new Viewport(1, 1));
    observeRequestLimit((limit) => { this.#queue.limit = limit; });
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.#darkScheme.addEventListener("change", () => this.invalidate());
    this.resize();
  }

  /** True if the camera can be tilted. Without WebGL it cannot. */
  get canTilt() {
    return this.#surface.canTilt;
  }

  /** Frees the surface's data of a tile's image. */
  release = (tile) => this.#surface.release(tile);

  /** Takes a map's rules, padding and background from its document. */
  setDocument(document) {
    this.#document = document;
    this.resize();
  }

  get camera() {
    return this.#camera;
  }

  /** Sets the camera. The map's rules clamp and wrap it. */
  set camera(position) {
    const camera = this.view.normalized(position);
    const isSame = Object.keys(camera).every((key) => camera[key] === this.#camera[key]);
    this.#camera = camera;
    if (isSame) return;
    this.#pace.move(() => this.invalidate());
    this.invalidate();
    this.dispatchEvent(new Event("move"));
  }

  /** Notes whether the user holds the map, perhaps without moving it. */
  set isHeld(isHeld) {
    this.#pace.isHeld = isHeld;
  }

  /** The projection of the current camera. */
  get projection() {
    return this.view.projection(this.#camera);
  }

  /** Maximum number of tile requests at once. */
  get requestLimit() {
    return this.#queue.limit;
  }

  /** The earliest time at which the page requests a failed tile again, in milliseconds, or Infinity. */
  get retryAt() {
    return this.#retryAt;
  }

  /** True if tiles are on their way. */
  get isLoading() {
    return this.#queue.count > 0;
  }

  /** Pixels a point. */
  get scale() {
    return this.#width / this.view.viewport.width;
  }

  /** Takes the size that the page's layout gives the canvas. */
  resize() {
    const width = Math.max(this.#canvas.clientWidth, 1);
    const height = Math.max(this.#canvas.clientHeight, 1);
    const pixels = globalThis.devicePixelRatio || 1;
    this.#width = Math.round(width * pixels);
    this.#surface.resize(this.#width, Math.round(height * pixels));
    this.view = new MapView(this.#rules(), Viewport.fitting(width, height, paddingOf(this.#document)));
    this.camera = this.#camera;
    this.invalidate();
  }

  #rules() {
    const rules = rulesOf(this.#document);
    return this.canTilt ? rules : { ...rules, viewingAngleLimit: new ViewingAngleLimit([[0, 0]]) };
  }

  /** Requests another frame. */
  invalidate() {
    this.#frame ||= requestAnimationFrame((now) => {
      this.#frame = 0;
      this.#draw(now);
    });
  }

  #draw(now) {
    const ground = new ScreenGround(this.projection, this.scale);
    const plans = this.#plans(ground);
    const deadline = performance.now() + uploadTime;
    let isFading = false;
    const drawn = plans.map(({ layer, plan }) => {
      for (const place of plan.tiles) isFading = this.#upload(layer.tiles.get(place), now, deadline) || isFading;
      const opacityOf = (tile) => {
        const opacity = layer.document.fadeIn === false ? 1 : Math.min(1, (now - tile.shownAt) / fadeTime);
        isFading ||= opacity < 1;
        return Math.max(opacity, 0);
      };
      const find = (place) => this.#find(layer, place, now);
      const covers = plan.covers.map((cover) => ({ cover, ...piecesOf(cover, find, opacityOf) }));
      return { opacity: layer.opacity, plan, covers };
    });
    // Most images with transparent pixels are made for a light ground, so only a view without tiles becomes dark.
    const isDark = this.#darkScheme.matches && plans.every(({ plan }) => plan.tiles.length === 0);
    this.#surface.draw(ground, drawn, backgroundOf(this.#document, isDark), this.#pace.isDraft(now, this.#surface.isSlow));
    this.#load(plans, ground);
    for (const layer of this.layers) layer.tiles.trim(mostTiles, now);
    if (isFading) this.invalidate();
    this.dispatchEvent(new CustomEvent("frame", { detail: { ground, plans } }));
  }

  /** Returns the tile plan of each visible layer, from the lowest up. Layers with equal needs share a plan. */
  #plans(ground) {
    const known = new Map();
    const plans = [];
    for (const layer of this.layers) {
      if (!layer.isVisible || layer.opacity === 0) continue;
      layer.setPixels(this.scale);
      const key = JSON.stringify(layer.kind);
      if (!known.has(key)) known.set(key, planTiles(ground, layer.kind));
      plans.push({ layer, plan: known.get(key) });
    }
    return plans;
  }

  /** Makes a texture of a tile's new image if there is time. Returns true if the image must wait. */
  #upload(tile, now, deadline) {
    if (!tile?.image) return false;
    if (!this.#surface.isFresh(tile)) {
      if (performance.now() > deadline) return true;
      this.#surface.upload(tile);
    }
    // The tile fades in from now on, unless the user prefers reduced motion.
    tile.shownAt ??= matchMedia("(prefers-reduced-motion: reduce)").matches ? -Infinity : now;
    return false;
  }

  #find(layer, place, now) {
    const tile = layer.tiles.get(place);
    if (!tile) return undefined;
    tile.usedAt = now;
    if (this.#surface.has(tile)) return tile;
    return tile.kind === "none" ? "none" : undefined;
  }

  /** Replaces the queued requests with requests for the missing tiles. */
  #load(plans, ground) {
    const now = performance.now();
    const jobs = [];
    let retryAt = Infinity;
    plans.forEach(({ layer, plan }, index) => {
      // For a layer that is down, request the nearest tile only, to learn when the layer is back.
      const asked = layer.tiles.isDown ? plan.tiles.slice(0, 1) : plan.tiles;
      for (const tile of asked) {
        if (!layer.tiles.isWanted(tile, now)) continue;
        // The nearest tiles come first. At equal distance, the lowest layer comes first.
        const priority = tile.distance * ground.projection.worldSize + index;
        jobs.push({ key: `${layer.id}:${tileKey(tile)}`, priority, run: (signal) => this.#ask(layer, tile, signal) });
      }
      retryAt = Math.min(retryAt, layer.tiles.retryTime(asked));
    });
    this.#queue.replace(jobs);
    this.#retryAt = retryAt;
    clearTimeout(this.#retry);
    if (retryAt < Infinity) this.#retry = setTimeout(() => this.invalidate(), Math.max(retryAt - now, 0) + 20);
  }

  async #ask(layer, place, signal) {
    await layer.tiles.load(place, signal);
    this.invalidate();
    this.dispatchEvent(new CustomEvent("tile", { detail: { layer, tile: layer.tiles.get(place) } }));
  }

  /**
   * True if no request, frame or movement is pending. Each tile of the view then is there, does not exist, or has
   * failed.
   */
  get isComplete() {
    return this.#queue.count === 0 && this.#frame === 0 && !this.#pace.isMoving;
  }

  #forget() {
    for (const layer of this.layers) layer.tiles.clear();
    this.invalidate();
  }
}
