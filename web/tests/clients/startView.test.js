import assert from "node:assert/strict";
import { test } from "node:test";

import { spanOf, startView } from "../../clients/startView.js";

const straight = { bearing: 0, viewingAngle: 0 };
const world = { west: -180, south: -85.0511288, east: 180, north: 85.0511288 };
const alps = { west: 5.9, south: 45.8, east: 10.5, north: 47.8 };
const levels = { min: 4, max: 11 };
/** The camera of a page, and whether a text for a layer within `box` begins there. */
const isTaken = (latitude, longitude, zoom, box = alps) => {
  const view = startView({}, box, levels, { latitude, longitude, zoom, ...straight });
  return view.latitude === latitude && view.longitude === longitude && view.zoom === zoom;
};

test("a text begins at the page's camera if the camera sees the layer", () => {
  assert.ok(isTaken(47, 8, 9.5));
  assert.ok(isTaken(47, 8, 3.5) && !isTaken(47, 8, 3.4), "at a zoom with tiles");
  assert.ok(isTaken(47, 8, 20), "also where tiles are enlarged");
  // At zoom 8 the world has 65,536 points, so 256 of them are 1.4 degrees of longitude.
  assert.ok(isTaken(47, 4.6, 8) && !isTaken(47, 4.4, 8), "or is just beside it");
  assert.ok(isTaken(47, 11.8, 8) && !isTaken(47, 12, 8));
  assert.ok(isTaken(48.6, 8, 8) && !isTaken(49, 8, 8) && !isTaken(44, 8, 8));
  assert.ok(isTaken(-80, 179, 5, world));
  const pacific = { west: 170, south: -30, east: -150, north: 10 };
  assert.ok(isTaken(0, 175, 6, pacific) && isTaken(0, -160, 6, pacific) && !isTaken(0, 0, 6, pacific));
});

test("otherwise it begins at the map's own camera, or at the layer's bounds", () => {
  const map = { camera: { lat: 42, lng: 14, zoom: 4.2, bearing: 10, viewingAngle: 25 } };
  const own = { latitude: 42, longitude: 14, zoom: 4.2, bearing: 10, viewingAngle: 25 };
  assert.deepEqual(startView(map, world, levels), own);
  assert.deepEqual(startView(map, alps, levels, { ...own, longitude: 100 }), own);
  assert.deepEqual(startView({}, alps, levels, { ...own, longitude: 100 }), { latitude: 46.8, longitude: 8.2, zoom: 7, ...straight });
});

test("the camera has the digits of the page's address", () => {
  const camera = { latitude: 46.123456789, longitude: 7.987654321, zoom: 9.87654, bearing: 12.3456, viewingAngle: 7.891 };
  assert.deepEqual(startView({}, world, levels, camera), { latitude: 46.1235, longitude: 7.9877, zoom: 9.877, bearing: 12.35, viewingAngle: 7.89 });
});

test("a view's size in degrees is at most the world's", () => {
  assert.deepEqual(spanOf({ latitude: 60, longitude: 0, zoom: 8, ...straight }, 256, 512), { latitude: 1.41, longitude: 1.41 });
  assert.deepEqual(spanOf({ latitude: 0, longitude: 0, zoom: 0, ...straight }, 800, 800), { latitude: 170, longitude: 360 });
  assert.deepEqual(spanOf({ latitude: 80, longitude: 0, zoom: 0, ...straight }, 800, 800), { latitude: 10, longitude: 360 });
});
