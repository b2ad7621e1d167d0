import assert from "node:assert/strict";
import { test } from "node:test";

import { assertNear, assertPlace, camera, mapView, vectors } from "../vectors.js";

test("sees the region that the camera sees", () => {
  for (const [start, [angle], farLeft, farRight, nearLeft, nearRight] of vectors.visibleRegions.rows) {
    const projection = mapView().projection(camera(start));
    assert.equal(projection.camera.viewingAngle, angle);
    const region = projection.visibleRegion;
    assertPlace(region.farLeft, farLeft);
    assertPlace(region.farRight, farRight);
    assertPlace(region.nearLeft, nearLeft);
    assertPlace(region.nearRight, nearRight);
  }
});

test("finds the points of coordinates", () => {
  for (const [start, [latitude, longitude], [x, y]] of vectors.points.rows) {
    const point = mapView().projection(camera(start)).pointFor({ latitude, longitude });
    assertNear(point.x, x, 1e-4);
    assertNear(point.y, y, 1e-4);
  }
});

test("T-PRJ-8: there and back", () => {
  for (const start of [[-33.8683, 151.2086, 16, 30, 65], [84, 179, 3, 300, 30], [10, -179.9, 2.5, 90, 10]]) {
    const projection = mapView().projection(camera(start));
    for (const point of [{ x: 0, y: 0 }, { x: 800, y: 0 }, { x: 800, y: 600 }, { x: 0, y: 600 }, { x: 400, y: 300 }]) {
      const offset = projection.offsetAt(point);
      const back = projection.pointAt(offset);
      assertNear(back.x, point.x);
      assertNear(back.y, point.y);
    }
  }
});

test("there is no ground above the horizon", () => {
  const projection = mapView().projection(camera([0, 0, 16, 0, 65]));
  assert.equal(projection.offsetAt({ x: 400, y: -1000 }), null);
  assert.throws(() => projection.coordinateAt({ x: 400, y: -1000 }), { reason: "aboveHorizon" });
});
