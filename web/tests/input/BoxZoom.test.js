import assert from "node:assert/strict";
import { test } from "node:test";

import { cameraForBox } from "../../input/BoxZoom.js";
import { assertNear, camera, mapView } from "../vectors.js";

const view = mapView();
const { width, height } = view.viewport;
const free = { left: 0, top: 0, right: width, bottom: height };
const [across, down] = [width / 4, height / 4];
const box = { left: 10, top: 20, right: 10 + across, bottom: 20 + down };

test("a box is shown in the middle, as large as it fits", () => {
  const start = camera([20, 10, 5, 0, 0]);
  const end = cameraForBox(view, start, box, free);
  assertNear(end.zoom, 7);
  const middle = view.projection(start).coordinateAt({ x: 10 + across / 2, y: 20 + down / 2 });
  assertNear(end.latitude, middle.latitude, 1e-9);
  assertNear(end.longitude, middle.longitude, 1e-9);
  const flat = cameraForBox(view, start, { ...box, bottom: 20 + down / 8 }, free);
  assertNear(flat.zoom, 7);
});

test("a box is shown beside a panel", () => {
  const start = camera([20, 10, 5, 0, 0]);
  const end = cameraForBox(view, start, box, { ...free, left: width / 2 });
  assertNear(end.zoom, 6);
  const middle = view.projection(start).coordinateAt({ x: 10 + across / 2, y: 20 + down / 2 });
  const seen = view.projection(end).coordinateAt({ x: width * 0.75, y: height / 2 });
  assertNear(seen.latitude, middle.latitude, 1e-9);
  assertNear(seen.longitude, middle.longitude, 1e-9);
});

test("a box in a turned and tilted view keeps the bearing and the viewing angle", () => {
  const end = cameraForBox(view, camera([20, 10, 5, 40, 30]), { left: 100, top: 200, right: 200, bottom: 300 }, free);
  assert.deepEqual([end.bearing, end.viewingAngle], [40, 30]);
});

test("a box that is too small is none", () => {
  assert.equal(cameraForBox(view, camera([20, 10, 5, 0, 0]), { left: 1, top: 1, right: 3, bottom: 300 }, free), null);
  assert.equal(cameraForBox(view, camera([20, 10, 5, 0, 0]), box, { ...free, left: width }), null);
});
