import assert from "node:assert/strict";
import { test } from "node:test";

import { pointsPerMetre } from "../../geometry/mercator.js";
import { markOf, positionProblem, zoomFor } from "../../map/position.js";
import { assertNear, camera, mapView } from "../vectors.js";

const view = mapView();

test("a position is in the middle of its circle, whose radius is the accuracy", () => {
  const position = { latitude: 47, longitude: 8, accuracy: 100 };
  const projection = view.projection(camera([47, 8, 14, 0, 0]));
  const { dot, circle } = markOf(position, projection);
  assertNear(dot.x, projection.center.x, 1e-6);
  assertNear(dot.y, projection.center.y, 1e-6);
  for (const { x, y } of circle) assertNear(Math.hypot(x - dot.x, y - dot.y), 100 * pointsPerMetre(47) * 2 ** 14, 1e-6);
});

test("the circle lies on the ground of a tilted view", () => {
  const { circle } = markOf({ latitude: 47, longitude: 8, accuracy: 100 }, view.projection(camera([47, 8, 14, 0, 45])));
  const [across, down] = ["x", "y"].map((axis) => Math.max(...circle.map((it) => it[axis])) - Math.min(...circle.map((it) => it[axis])));
  assert.ok(down < 0.8 * across);
});

test("a position beyond the antimeridian is shown in the nearest copy of the world", () => {
  const { dot, circle } = markOf({ latitude: 0, longitude: -179.9, accuracy: 50 }, view.projection(camera([0, 179.9, 9, 0, 0])));
  const middle = circle.reduce((sum, { x }) => sum + x / circle.length, 0);
  assertNear(middle, dot.x, 1e-6);
});

test("the camera shows all of the circle, and no more of the ground than zoom 16 does", () => {
  assert.equal(zoomFor({ latitude: 47, accuracy: 5, longitude: 8 }, 800), 16);
  const zoom = zoomFor({ latitude: 47, accuracy: 50_000, longitude: 8 }, 800);
  assertNear(100_000 * pointsPerMetre(47) * 2 ** zoom, 480, 1e-6);
});

test("says why there is no position, and what to do", () => {
  assert.match(positionProblem(1, false), /https:\/\//);
  assert.match(positionProblem(1, true), /Allow it/);
  assert.match(positionProblem(3, true), /in time/);
  assert.match(positionProblem(2, true), /does not know/);
});
