// @ts-check
/** Gives a canvas so many pixels. Setting its size empties it, even to the same. */
export function resize(canvas, width, height) {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}
