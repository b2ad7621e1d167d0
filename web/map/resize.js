// @ts-check
/** Sets the canvas's size in pixels only if it differs, because setting the size empties the canvas. */
export function resize(canvas, width, height) {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}
