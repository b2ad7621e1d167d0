import assert from "node:assert/strict";
import { test } from "node:test";

import { CoordinateBounds } from "../../geometry/CoordinateBounds.js";

const place = (latitude, longitude) => ({ latitude, longitude });

test("T-BND-1, 2: corners in any order, the smaller span of longitudes", () => {
  const canada = CoordinateBounds.around(place(51.05, -114.05), place(49.26, -123.11));
  assert.deepEqual(canada.southWest, place(49.26, -123.11));
  assert.deepEqual(canada.northEast, place(51.05, -114.05));
  const pacific = CoordinateBounds.around(place(10, 170), place(-10, -170));
  assert.equal(pacific.longitudes.width, 20);
  for (const [longitude, inside] of [[180, true], [-180, true], [540, true], [0, false], [170, true], [-169.9, false]]) {
    assert.equal(pacific.contains(place(0, longitude)), inside, `${longitude}`);
  }
});

test("T-BND-4: touching bounds intersect", () => {
  const box = (south, west, north, east) => CoordinateBounds.corners(place(south, west), place(north, east));
  assert.ok(box(0, 0, 1, 1).intersects(box(1, 1, 2, 2)));
  assert.ok(!box(0, 0, 1, 1).intersects(box(1.01, 0, 2, 1)));
  assert.ok(box(0, 170, 1, -170).intersects(box(0, -170, 1, -160)));
  assert.ok(!box(0, 170, 1, -170).intersects(box(0, -169, 1, -160)));
});

test("grows by the fewer longitudes, a tie to the east", () => {
  const arc = (west, east) => CoordinateBounds.corners(place(0, west), place(0, east));
  assert.deepEqual(arc(0, 10).including(arc(20, 20)), arc(0, 20));
  assert.deepEqual(arc(0, 10).including(arc(-20, -20)), arc(-20, 10));
  assert.deepEqual(arc(0, 10).including(arc(-175, -175)), arc(0, -175));
});

test("south above north is refused", () => {
  assert.throws(() => CoordinateBounds.corners(place(2, 0), place(1, 0)), { reason: "southAboveNorth" });
});
