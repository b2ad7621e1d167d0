// @ts-check
import { resize } from "./resize.js";

/** Draws tiles on a canvas without WebGL. The ground is flat, so a tilted camera cannot be drawn. */
export class FlatSurface {
  canTilt = false;
  isSlow = false;
  #context;
  #layer = null;

  static on(canvas) {
    return new FlatSurface(canvas.getContext("2d"));
  }

  constructor(context) {
    this.#context = context;
  }

  has(tile) {
    return tile.image !== null;
  }

  isFresh(tile) {
    return tile.image !== null;
  }

  upload() {}

  release() {}

  resize(width, height) {
    resize(this.#context.canvas, width, height);
  }

  /** Draws like `WebGLSurface.draw`. */
  draw(ground, layers, background, isDraft = false) {
    const context = this.#context;
    const { width, height } = context.canvas;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = 1;
    context.globalCompositeOperation = "copy";
    const [red, green, blue, alpha] = background;
    context.fillStyle = `rgb(${red * 255} ${green * 255} ${blue * 255} / ${alpha})`;
    context.fillRect(0, 0, width, height);
    context.globalCompositeOperation = "source-over";
    for (const layer of layers) this.#drawLayer(ground, layer, isDraft);
  }

  #drawLayer(ground, { opacity, covers }, isDraft) {
    const isSummed = !isDraft && covers.some((part) => part.isFading);
    const { canvas } = this.#context;
    const target = isSummed ? this.#emptyLayer(canvas.width, canvas.height) : this.#context;
    target.globalCompositeOperation = isSummed ? "lighter" : "source-over";
    for (const { pieces } of covers) drawPieces(target, ground, pieces, isSummed ? 1 : opacity);
    if (!isSummed) return;
    this.#context.setTransform(1, 0, 0, 1, 0, 0);
    this.#context.globalAlpha = opacity;
    this.#context.drawImage(target.canvas, 0, 0);
  }

  #emptyLayer(width, height) {
    this.#layer ??= document.createElement("canvas").getContext("2d");
    resize(this.#layer.canvas, width, height);
    this.#layer.setTransform(1, 0, 0, 1, 0, 0);
    this.#layer.clearRect(0, 0, width, height);
    return this.#layer;
  }
}

function drawPieces(context, { projection, scale }, pieces, opacity) {
  const { center, bearing, worldSize } = projection;
  const { sine, cosine } = bearing;
  context.setTransform(cosine, -sine, sine, cosine, center.x * scale, center.y * scale);
  const pixels = worldSize * scale;
  // Without rotation, round edges to whole pixels, so that no line shows between tiles.
  const [snapX, snapY] = sine === 0 && cosine === 1
    ? [(x) => Math.round(x + center.x * scale) - center.x * scale, (y) => Math.round(y + center.y * scale) - center.y * scale]
    : [(x) => x, (y) => y];
  const overlap = sine === 0 && cosine === 1 ? 0 : 0.5;
  for (const { tile, west, north, side, part, weight } of pieces) {
    const [left, top] = [snapX(west * pixels), snapY(north * pixels)];
    const [right, bottom] = [snapX((west + side) * pixels), snapY((north + side) * pixels)];
    const { width, height } = tile.image;
    context.globalAlpha = opacity * weight;
    context.drawImage(
      tile.image, part.x * width, part.y * height, part.size * width, part.size * height,
      left, top, right - left + overlap, bottom - top + overlap);
  }
}
