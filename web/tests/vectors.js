import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { MapView, standardRules } from "../geometry/MapView.js";
import { Viewport, noInsets } from "../geometry/Viewport.js";

/** The numbers that the camera must reproduce in every language. The file itself describes its rows. */
export const vectors = JSON.parse(readFileSync(new URL("../../Tests/Vectors/camera.json", import.meta.url)));

/** Returns a camera from [latitude, longitude, zoom, bearing, viewing angle]. The last two may be absent. */
export function camera([latitude, longitude, zoom, bearing = 0, viewingAngle = 0]) {
  return { latitude, longitude, zoom, bearing, viewingAngle };
}

/** Returns insets from [top, left, bottom, right]. */
export function insets([top, left, bottom, right]) {
  return { top, left, bottom, right };
}

/** A map of 800 × 600 points. */
export function mapView({ rules = standardRules, padding = noInsets, width = 800, height = 600 } = {}) {
  return new MapView(rules, new Viewport(width, height, padding));
}

export function assertNear(actual, expected, tolerance = 1e-6) {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected} within ${tolerance}`);
}

/** Compares with [latitude, longitude]. -180 and 180 are the same meridian. */
export function assertPlace(actual, [latitude, longitude], tolerance = 1e-6) {
  assertNear(actual.latitude, latitude, tolerance);
  const turns = (actual.longitude - longitude) / 360;
  assertNear((turns - Math.round(turns)) * 360, 0, tolerance);
}
