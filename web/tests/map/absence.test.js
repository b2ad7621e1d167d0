import assert from "node:assert/strict";
import { test } from "node:test";

import { absenceOf, absenceText, cameraToward } from "../../map/absence.js";
import { planTiles } from "../../map/TilePlan.js";
import { ScreenGround } from "../../map/ScreenGround.js";
import { MapLayer } from "../../map/MapLayer.js";
import { assertNear, assertPlace, camera, mapView } from "../vectors.js";

const layer = (document) => new MapLayer({ id: "a", tileSize: 256, minzoom: 0, maxzoom: 18, bounds: [-180, -85, 180, 85], ...document }, () => {});
const floors = layer({ minzoom: 15, maxzoom: 18, bounds: [-123.1112, 49.2595, -123.1091, 49.2605] });
const view = mapView();

/** Why a view at a camera has no tiles of a layer. */
const absence = (each, place) => absenceOf(planTiles(new ScreenGround(view.projection(camera(place)), 1), each.kind));

test("tells a view beside a layer from a view that is too far away", () => {
  assert.equal(absence(floors, [49.26, -123.11, 16]), null);
  assert.equal(absence(floors, [49.26, -123.11, 21]), null, "beyond its highest zoom a layer is enlarged");
  assert.equal(absence(floors, [49.26, -123.11, 6]), "zoom");
  assert.equal(absence(floors, [47, 8, 16]), "bounds");
  assert.equal(absence(layer({}), [0, 0, 2]), null);
  assert.equal(absenceText("zoom", floors.document), "Not here: the layer begins at zoom 15.");
  assert.match(absenceText("bounds", floors.document), /^Not here: /);
});

test("goes to where a layer has tiles, and no farther than needed", () => {
  const options = { scale: 1, covered: 0 };
  const toward = (each, place) => cameraToward(each, camera(place), view, options);
  for (const place of [[49.26, -123.11, 6], [47, 8, 16], [47, 8, 2]]) {
    const end = toward(floors, place);
    assert.equal(absence(floors, [end.latitude, end.longitude, end.zoom]), null, String(place));
  }
  const near = toward(floors, [49.26, -123.11, 6, 30, 20]);
  assertPlace(near, [49.26, -123.11]);
  assert.deepEqual([near.zoom, near.bearing], [15, 30], "only the zoom changes");
  const deep = layer({ minzoom: 4 });
  const end = toward(deep, [10, 20, 1]);
  assertPlace(end, [10, 20]);
  assert.equal(absence(deep, [10, 20, end.zoom]), null);
  const large = layer({ tileSize: 512, minzoom: 4 });
  assertNear(toward(large, [10, 20, 1]).zoom, 5);
  assert.equal(absence(large, [10, 20, 5]), null);
});
