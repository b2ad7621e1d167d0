// @ts-check
// The Mercator projection of the sphere onto the unit square (docs/spec/model.md 2.1). A coordinate is {latitude,
// longitude} in degrees; a world point {x, y} has its origin in the north-west corner, x growing to the east and y to the
// south, both in [0, 1] within the world.

import { clamp, radians } from "./numbers.js";

/** The side of a tile in points; the world at zoom 0 is one tile. */
export const tilePoints = 256;

/** The deepest zoom of any tile. */
export const deepestZoom = 30;

/** The latitude of the square's upper edge in degrees: atan(sinh(π)). */
export const maxLatitude = (Math.atan(Math.sinh(Math.PI)) * 180) / Math.PI;

/** The mean radius of the earth in metres, the SDK's kGMSEarthRadius. */
export const earthRadius = 6_371_009;

/**
 * Returns the world point of a coordinate. Latitudes beyond ±`maxLatitude` are clamped. Longitudes beyond ±180 give an
 * x outside 0…1, in a neighbouring copy of the world.
 */
export function project({ latitude, longitude }) {
  return { x: (longitude + 180) / 360, y: worldY(latitude) };
}

function worldY(latitude) {
  // Returns exactly the edge, because rounding would miss it.
  if (Math.abs(latitude) >= maxLatitude) return latitude > 0 ? 0 : 1;
  return 0.5 - Math.asinh(Math.tan(radians(latitude))) / (2 * Math.PI);
}

/**
 * Returns the coordinate at a world point: the inverse of `project`, also in copies of the world to the east and west.
 */
export function unproject({ x, y }) {
  return { latitude: latitudeAt(y), longitude: 360 * x - 180 };
}

/**
 * Returns the coordinate at a world point in any copy of the world or off it, with its longitude in [-180, 180) and a
 * clamped latitude.
 */
export function unprojectWrapped({ x, y }) {
  const inside = x - Math.floor(x);
  return unproject({ x: inside < 1 ? inside : 0, y: clamp(y, 0, 1) });
}

/** Returns the latitude in degrees at the world's `y`, which is 0 at the northern edge. */
export function latitudeAt(y) {
  return (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
}

/** Returns the world's width in points at `zoom`, which may be fractional: 256 · 2^zoom. */
export function worldSize(zoom) {
  return tilePoints * 2 ** zoom;
}

/**
 * Returns the points on the screen for a metre on the ground at `latitude` and zoom 0. Beyond the world's edge the edge
 * counts.
 */
export function pointsPerMetre(latitude) {
  const inside = clamp(latitude, -maxLatitude, maxLatitude);
  return tilePoints / (2 * Math.PI * earthRadius * Math.cos(radians(inside)));
}

/** Returns the zoom at which `metres` on the ground at `latitude` are `points` long on the screen. Both are above 0. */
export function zoomAt(latitude, metres, points) {
  return Math.log2(points) - Math.log2(metres) - Math.log2(pointsPerMetre(latitude));
}

/**
 * Returns the tile of zoom `z` that contains a coordinate. Longitudes wrap. Latitudes beyond the world use its
 * outermost rows.
 */
export function tileAt(coordinate, z) {
  const point = project(coordinate);
  const span = 2 ** z;
  return {
    z,
    x: Math.min(Math.floor((point.x - Math.floor(point.x)) * span), span - 1),
    y: Math.min(Math.floor(point.y * span), span - 1),
  };
}

/** Returns the edges of a tile in degrees. */
export function tileBounds({ z, x, y }) {
  const span = 2 ** z;
  return {
    north: latitudeAt(y / span), south: latitudeAt((y + 1) / span),
    west: (360 * x) / span - 180, east: (360 * (x + 1)) / span - 180,
  };
}
