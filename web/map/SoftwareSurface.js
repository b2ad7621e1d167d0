import { FlatSurface } from "./FlatSurface.js";

/**
 * Draws tiles where the browser has WebGL, but no graphics card: whatever a canvas can draw is drawn by one, which takes a tenth of
 * the time, and by WebGL what it cannot, tilted views and turned ones at rest. Owns a second canvas, which lies over the first.
 */
export class SoftwareSurface {
  canTilt = true;
  /** Frames of a moving camera are always drafts. */
  isSlow = true;
  #ground;
  #flat;
  #canvas;

  /** `surface` is the WebGLSurface of `canvas`. */
  constructor(canvas, surface) {
    this.#ground = surface;
    this.#canvas = document.createElement("canvas");
    this.#canvas.setAttribute("aria-hidden", "true");
    canvas.after(this.#canvas);
    this.#flat = FlatSurface.on(this.#canvas);
  }

  has(tile) {
    return this.#flat.has(tile);
  }

  isFresh(tile) {
    return this.#flat.isFresh(tile);
  }

  upload() {}

  release(tile) {
    this.#ground.release(tile);
  }

  resize(width, height) {
    this.#flat.resize(width, height);
    this.#ground.resize(width, height);
  }

  /** As `WebGLSurface.draw`. */
  draw(ground, layers, background, isMoving) {
    const isUpright = ground.isFlat && ground.projection.bearing.sine === 0 && ground.projection.bearing.cosine === 1;
    const isFlat = isUpright || (ground.isFlat && isMoving);
    this.#canvas.hidden = !isFlat;
    if (isFlat) {
      this.#flat.draw(ground, layers, background);
      return;
    }
    for (const { tile } of layers.flatMap(({ covers }) => covers.flatMap(({ pieces }) => pieces))) {
      if (!this.#ground.isFresh(tile)) this.#ground.upload(tile);
    }
    this.#ground.draw(ground, layers, background, isMoving, 2);
  }
}
