// @ts-check
import { project } from "../geometry/mercator.js";
import { modulo } from "../geometry/numbers.js";
import { cameraOf, cameraText } from "../input/hash.js";
import { cameraFrom } from "../map/mapRules.js";

/**
 * Camera of a map: {latitude, longitude, zoom, bearing, viewingAngle}. The zoom counts in tiles of 256 points.
 *
 * @typedef {{ latitude: number, longitude: number, zoom: number, bearing: number, viewingAngle: number }} Camera
 */

/**
 * Returns the camera of a text: `camera`, the camera of the user's page, if that camera sees the layer. Otherwise
 * returns the document's camera, or else a view of the layer's `box`. `levels` are the layer's zooms as {min, max}, in
 * tiles of 256 points.
 *
 * @param {{ camera?: Parameters<typeof cameraFrom>[0] }} document
 * @returns {Camera}
 */
export function startView(document, box, levels, camera = null) {
  if (camera && sees(camera, box, levels)) return rounded(camera);
  return document.camera ? rounded(cameraFrom(document.camera)) : overview(box, levels);
}

/** Reports whether a box is the world. */
export function isWorld({ west, south, east, north }) {
  return east - west >= 360 && south < -85 && north > 85;
}

/** Returns the degrees from one meridian eastward to another. */
function widthOf(west, east) {
  return east - west + (east < west ? 360 : 0);
}

/** Returns a camera with the digits of the page's address. */
function rounded(camera) {
  return cameraOf(cameraText(camera));
}

/** Reports whether a camera's target is in the box, or at most 256 points beside it, at a zoom with tiles. */
function sees({ latitude, longitude, zoom }, { west, south, east, north }, levels) {
  if (zoom < levels.min - 0.5) return false;
  const margin = 2 ** -zoom;
  const here = project({ latitude, longitude });
  const [upper, lower] = [north, south].map((edge) => project({ latitude: edge, longitude: 0 }).y);
  const width = widthOf(west, east);
  const beyond = modulo(longitude - west, 360) - width;
  const isBeside = beyond > 0 && Math.min(beyond, 360 - width - beyond) / 360 > margin;
  return !isBeside && here.y >= upper - margin && here.y <= lower + margin;
}

/**
 * Returns the camera straight above the box. Its zoom is at least 2, because the world is smaller than most maps below
 * that zoom.
 */
function overview({ west, south, east, north }, levels) {
  const straight = { bearing: 0, viewingAngle: 0 };
  if (isWorld({ west, south, east, north })) return { latitude: 20, longitude: 0, zoom: Math.max(2, levels.min), ...straight };
  const width = widthOf(west, east);
  const middle = (west + width / 2 + 540) % 360 - 180;
  const across = Math.max(width / 360, (north - south) / 170, 1e-9);
  const zoom = Math.min(Math.max(Math.floor(Math.log2(2 / across)), 2, levels.min), levels.max);
  return { latitude: Number(((south + north) / 2).toFixed(6)), longitude: Number(middle.toFixed(6)), zoom, ...straight };
}

/**
 * Returns the degrees of {latitude, longitude} that a camera sees in a map of `width` × `height` points, from straight
 * above. Clients such as MapKit accept no more than the world.
 *
 * @param {Camera} camera
 */
export function spanOf({ latitude, zoom }, width, height) {
  const degrees = 360 / (256 * 2 ** zoom);
  const down = Math.min(height * degrees * Math.cos((latitude * Math.PI) / 180), 2 * (85 - Math.abs(latitude)));
  return { latitude: short(down), longitude: short(Math.min(width * degrees, 360)) };
}

/** Returns what a camera sees in a square in the middle of a phone. Some clients take a size instead of a zoom. */
export const phoneSpan = (camera) => spanOf(camera, 400, 400);

/** Returns a number of degrees with three significant digits, which suffice for the size of a view. */
function short(degrees) {
  return Number(degrees.toPrecision(3));
}

/**
 * Reports whether a camera does not look straight down with north up.
 *
 * @param {Camera} camera
 */
export function isTurned({ bearing, viewingAngle }) {
  return bearing !== 0 || viewingAngle !== 0;
}
