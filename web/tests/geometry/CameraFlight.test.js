import assert from "node:assert/strict";
import { test } from "node:test";

import { CameraFlight, curves, interpolate, progress } from "../../geometry/CameraFlight.js";
import { assertNear, assertPlace, camera, mapView, vectors } from "../vectors.js";

test("T-ANIM-2, T-GEO-2: the target goes the short way", () => {
  for (const [from, to, [part], place] of vectors.flights.rows) {
    assertPlace(interpolate(camera([...from, 0]), camera([...to, 0]), part), place);
  }
});

test("T-ANIM-1: the bearing turns by the smaller angle", () => {
  for (const [from, to, part, bearing] of vectors.turns.rows) {
    const flight = new CameraFlight(camera([0, 0, 5, from]), camera([0, 0, 5, to]), mapView());
    assertNear(flight.cameraAt(part).bearing, bearing);
  }
});

test("begins and ends exactly, and keeps to the angle that its zoom allows", () => {
  const [start, end] = [camera([0, 0, 18, 0, 60]), camera([50, 100, 6, 90, 30])];
  const flight = new CameraFlight(start, end, mapView(), "easeInOut");
  assert.deepEqual(flight.cameraAt(0), start);
  assert.deepEqual(flight.cameraAt(1), end);
  assertNear(flight.cameraAt(0.5).zoom, 12);
  assertNear(flight.cameraAt(0.5).viewingAngle, 41.666667);
});

test("curves begin at 0, end at 1 and only rise", () => {
  for (const curve of curves) {
    let before = 0;
    for (let step = 0; step <= 100; step += 1) {
      const now = progress(curve, step / 100);
      assert.ok(now >= before && now <= 1);
      before = now;
    }
    assert.equal(progress(curve, 0), 0);
    assert.equal(progress(curve, 1), 1);
  }
  assertNear(progress("easeInOut", 0.5), 0.5);
  assert.ok(progress("easeIn", 0.3) < 0.3 && progress("easeOut", 0.3) > 0.3);
});
