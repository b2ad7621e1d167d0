// @ts-check
import { project, unprojectWrapped } from "./mercator.js";
import { modulo, wrapLongitude } from "./numbers.js";

/** Names of a flight's curves, as in Core Animation and CSS. */
export const curves = Object.freeze(["linear", "easeIn", "easeOut", "easeInOut"]);

/**
 * Returns the part of the way at `time`, both in 0…1, on the cubic Bézier curve (0, 0), (x₁, 0), (x₂, 1), (1, 1) with
 * this name.
 */
export function progress(curve, time) {
  if (!(time > 0)) return 0;
  if (time >= 1) return 1;
  if (curve === "linear") return time;
  const firstX = curve === "easeOut" ? 0 : 0.42;
  const secondX = curve === "easeIn" ? 1 : 0.58;
  // x grows along the curve, so bisection finds the parameter.
  let [low, high] = [0, 1];
  for (let step = 0; step < 54; step += 1) {
    const middle = (low + high) / 2;
    if (cubic(middle, firstX, secondX) < time) low = middle;
    else high = middle;
  }
  return cubic((low + high) / 2, 0, 1);
}

function cubic(t, first, second) {
  const rest = 1 - t;
  return 3 * rest * rest * t * first + 3 * rest * t * t * second + t * t * t;
}

/** A flight of the camera between two cameras. `view`, a MapView, adjusts both (docs/spec/model.md 6.2). */
export class CameraFlight {
  constructor(start, end, view, curve = "linear") {
    this.view = view;
    this.start = view.normalized(start);
    this.end = view.normalized(end);
    this.curve = curve;
  }

  /**
   * Returns the camera at `time`, 0 at the start and 1 at the end. The target takes the shorter way on the Mercator
   * map.
   */
  cameraAt(time) {
    const part = progress(this.curve, time);
    if (part <= 0) return this.start;
    if (part >= 1) return this.end;
    const { start, end } = this;
    const between = (from, to) => from + (to - from) * part;
    const turn = modulo(end.bearing - start.bearing + 540, 360) - 180;
    return this.view.normalized({
      ...interpolate(start, end, part), zoom: between(start.zoom, end.zoom),
      bearing: start.bearing + turn * part, viewingAngle: between(start.viewingAngle, end.viewingAngle),
    });
  }
}

/**
 * Returns the coordinate at `part` of the straight line between two coordinates on the map. The line takes the shorter
 * way round the world. A difference of exactly half a world keeps its sign.
 */
export function interpolate(first, last, part) {
  const wrapped = ({ latitude, longitude }) => project({ latitude, longitude: wrapLongitude(longitude) });
  const [from, to] = [wrapped(first), wrapped(last)];
  let across = to.x - from.x;
  if (across > 0.5) across -= 1;
  else if (across < -0.5) across += 1;
  return unprojectWrapped({ x: from.x + across * part, y: from.y + (to.y - from.y) * part });
}
