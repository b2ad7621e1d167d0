// @ts-check
import { pointsPerMetre, project, tilePoints, zoomAt } from "../geometry/mercator.js";

/** @typedef {{ latitude: number, longitude: number, accuracy: number }} Position with its accuracy in metres */
/** @typedef {{ x: number, y: number }} Point */

/** Points between which the circle's edge is drawn straight. */
const corners = 64;

/** Highest zoom for a position, and the part of the view's shorter side that the circle may fill. */
const [highest, part] = [16, 0.6];

/**
 * Returns a position in a view: the point of the dot, and the outline of the circle on the ground within which the
 * device is. Both are null behind the camera.
 *
 * @param {Position} position
 * @param {import("../geometry/Projection.js").Projection} projection
 * @returns {{ dot: Point | null, circle: Point[] | null }}
 */
export function markOf(position, projection) {
  const dot = projection.pointFor(position);
  const place = project(position);
  const x = place.x - projection.target.x;
  const center = { x: x - Math.round(x), y: place.y - projection.target.y };
  const radius = (position.accuracy * pointsPerMetre(position.latitude)) / tilePoints;
  const circle = Array.from({ length: corners }, (_, corner) => {
    const angle = (corner / corners) * 2 * Math.PI;
    return projection.pointAt({ x: center.x + radius * Math.cos(angle), y: center.y + radius * Math.sin(angle) });
  });
  return { dot, circle: circle.includes(null) ? null : circle };
}

/**
 * Returns the zoom at which a position's circle fits into a view with sides of at least `points` points.
 *
 * @param {Position} position
 * @param {number} points
 */
export function zoomFor({ latitude, accuracy }, points) {
  return Math.min(zoomAt(latitude, 2 * Math.max(accuracy, 1), part * points), highest);
}

/**
 * Says why there is no position. `code` is that of a GeolocationPositionError.
 *
 * @param {number} code
 * @param {boolean} isSecure
 */
export function positionProblem(code, isSecure) {
  if (!isSecure) return "Browsers tell a page where you are only over HTTPS. Open this page at an https:// address.";
  if (code === 1) return "The page may not know where you are. Allow it in the browser's settings for this page.";
  if (code === 3) return "The device did not find its position in time. Try again.";
  return "The device does not know its position now.";
}
