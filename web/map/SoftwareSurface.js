// @ts-check
import { FlatSurface } from "./FlatSurface.js";

/**
 * Draws tiles in a browser that has WebGL but no graphics card. A plain canvas draws upright views, because it takes a
 * fraction of the time. WebGL draws turned and tilted views. Owns a second canvas, which lies over the first.
 */
export class SoftwareSurface {
  canTilt = true;
  /** True: frames of a moving camera are always drafts. */
  isSlow = true;
  #ground;
  #flat;
  #canvas;
  #isFlat = true;

  /** `surface` is the WebGLSurface of `canvas`. */
  constructor(canvas, surface) {
    this.#ground = surface;
    this.#canvas = document.createElement("canvas");
    this.#canvas.setAttribute("aria-hidden", "true");
    canvas.after(this.#canvas);
    this.#flat = FlatSurface.on(this.#canvas);
  }

  has(tile) {
    return this.#current.has(tile);
  }

  isFresh(tile) {
    return this.#current.isFresh(tile);
  }

  upload(tile) {
    this.#current.upload(tile);
  }

  get #current() {
    return this.#isFlat ? this.#flat : this.#ground;
  }

  release(tile) {
    this.#ground.release(tile);
  }

  resize(width, height) {
    this.#flat.resize(width, height);
    this.#ground.resize(width, height);
  }

  /** Draws like `WebGLSurface.draw`. */
  draw(ground, layers, background, isMoving) {
    const { sine, cosine } = ground.projection.bearing;
    this.#isFlat = ground.isFlat && sine === 0 && cosine === 1;
    this.#canvas.hidden = !this.#isFlat;
    if (this.#isFlat) {
      this.#flat.draw(ground, layers, background, isMoving);
      return;
    }
    // Uploads new images first: during upright views only the plain canvas has drawn them.
    for (const { tile } of layers.flatMap(({ covers }) => covers.flatMap(({ pieces }) => pieces))) {
      if (!this.#ground.isFresh(tile)) this.#ground.upload(tile);
    }
    this.#ground.draw(ground, layers, background, isMoving, 2);
  }
}
