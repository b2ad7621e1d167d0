import assert from "node:assert/strict";
import { test } from "node:test";

import { backgroundOf, firstCamera, paddingOf, rulesOf } from "../../map/mapRules.js";
import { standardRules } from "../../geometry/MapView.js";
import { assertNear, mapView } from "../vectors.js";

const demo = {
  camera: { bearing: 0, lat: 49.26, lng: -123.11, viewingAngle: 0, zoom: 5 }, cameraZoom: [2, 18], fillViewport: true,
  maxTiltKnots: [[10, 20], [16, 60]], padding: [1, 2, 3, 4], background: "#ff000080", targetBounds: [-10, -5, 10, 5],
  targetBoundsMode: "strict",
};

test("takes a map's rules from its document", () => {
  const rules = rulesOf(demo);
  assert.deepEqual([rules.minZoom, rules.maxZoom, rules.fillsViewport, rules.isStrict], [2, 18, true, true]);
  assertNear(rules.viewingAngleLimit.angleAt(13), 40);
  assert.equal(rules.targetBounds.north, 5);
  assert.deepEqual(paddingOf(demo), { top: 1, left: 2, bottom: 3, right: 4 });
  assertNear(backgroundOf(demo)[3], 0.5, 0.01);
});

test("a layer's document says nothing, and means what a map that says nothing does", () => {
  assert.deepEqual(rulesOf({}), standardRules);
  assert.deepEqual(backgroundOf({ background: "transparent" }), [0, 0, 0, 0]);
  assertNear(backgroundOf({})[0], 0xe5 / 255);
  assert.deepEqual(backgroundOf({ background: "#e5e3df" }), backgroundOf({}));
});

test("an empty map is dark on a dark page, unless the map has a background of its own", () => {
  for (const document of [{}, { background: "#e5e3df" }]) assertNear(backgroundOf(document, true)[0], 0x15 / 255);
  assert.deepEqual(backgroundOf({ background: "#ffffff" }, true), [1, 1, 1, 1]);
  assert.deepEqual(backgroundOf({ background: "transparent" }, true), [0, 0, 0, 0]);
});

test("begins at the camera of the document, or where its bounds are seen", () => {
  assertNear(firstCamera(demo, mapView()).latitude, 49.26);
  assertNear(firstCamera({ bounds: [-180, -85, 180, 85] }, mapView()).zoom, 2);
  const floors = { bounds: [-123.1112, 49.2595, -123.1091, 49.2605], minzoom: 15 };
  const [middle, beside] = [firstCamera(floors, mapView()), firstCamera(floors, mapView(), 300)];
  assert.ok(middle.zoom > 18 && beside.zoom < middle.zoom);
  assert.ok(beside.longitude < middle.longitude);
});
