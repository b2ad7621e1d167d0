import assert from "node:assert/strict";
import { test } from "node:test";

import { CoordinateBounds } from "../../geometry/CoordinateBounds.js";
import { standardRules } from "../../geometry/MapView.js";
import { ViewingAngleLimit } from "../../geometry/ViewingAngleLimit.js";
import { assertNear, assertPlace, camera, insets, mapView, vectors } from "../vectors.js";

const westernCanada = CoordinateBounds.corners(
  { latitude: 49.26, longitude: -123.11 }, { latitude: 51.05, longitude: -114.05 });

test("latitudes are clamped, bearings wrap", () => {
  for (const [latitude, clamped] of vectors.clampedLatitudes.rows) {
    assert.equal(mapView().normalized(camera([latitude, 0, 1])).latitude, clamped);
  }
  for (const [bearing, wrapped] of vectors.wrappedBearings.rows) {
    assert.equal(mapView().normalized(camera([0, 0, 1, bearing])).bearing, wrapped);
  }
});

test("the zoom decides the greatest viewing angle", () => {
  for (const [zoom, angle] of vectors.viewingAngleLimits.rows) assertNear(ViewingAngleLimit.sdk.angleAt(zoom), angle);
  const android = new ViewingAngleLimit([[10, 30], [14, 45], [15.5, 67.5]]);
  for (const [zoom, angle] of vectors.androidAngleLimits.rows) assertNear(android.angleAt(zoom), angle);
  // T-CAM-8, with the clamped zoom.
  assertNear(mapView().zoomed(camera([0, 0, 16, 0, 65]), 12).viewingAngle, 41.666667);
});

test("zooms are clamped to the map's range", () => {
  const view = mapView({ rules: { ...standardRules, minZoom: 10, maxZoom: 15 } });
  for (const [zoom, clamped] of vectors.clampedZooms.rows) assert.equal(view.normalized(camera([0, 0, zoom])).zoom, clamped);
});

test("a map that fills its view keeps the camera close enough", () => {
  for (const [height, zoom] of vectors.fillingHeights.rows) {
    assertNear(mapView({ rules: { ...standardRules, fillsViewport: true }, height }).minZoom, zoom);
  }
});

test("scrolls by the bearing, under tilt too", () => {
  for (const [start, [x, y], target] of vectors.scrolls.rows) {
    assertPlace(mapView().scrolled(camera(start), x, y), target);
  }
});

test("zooms at a point, which stays where it is", () => {
  for (const [start, [delta], [x, y], target, fixed] of vectors.zoomsAtPoint.rows) {
    const view = mapView();
    assertPlace(view.projection(camera(start)).coordinateAt({ x, y }), fixed);
    const end = view.zoomedAt(camera(start), delta, { x, y });
    assertPlace(end, target);
    assertPlace(view.projection(end).coordinateAt({ x, y }), fixed);
  }
});

test("fits bounds", () => {
  for (const [southWest, northEast, edges, [zoom, latitude, longitude]] of vectors.fits.rows) {
    const bounds = CoordinateBounds.corners(camera([...southWest, 0]), camera([...northEast, 0]));
    const end = mapView().fitted(bounds, insets(edges));
    assertNear(end.zoom, zoom);
    assertPlace(end, [latitude, longitude]);
  }
});

test("T-FIT-5, 7, 8: fits what has no room, no end and no size", () => {
  const tooMuch = mapView().fitted(westernCanada, insets([300, 300, 300, 300]));
  assert.equal(tooMuch.zoom, 0);
  assertPlace(tooMuch, [50.163378172, -118.58]);
  const world = CoordinateBounds.box([-180, -85, 180, 85]);
  assertNear(mapView().fitted(world, insets([64, 64, 64, 64])).zoom, 0.88737683);
  const place = CoordinateBounds.box([10, 20, 10, 20]);
  assert.equal(mapView().fitted(place).zoom, 21);
});

test("T-TB-1: strict target bounds hold every camera, others those of gestures", () => {
  const rules = { ...standardRules, targetBounds: westernCanada };
  assertPlace(mapView({ rules: { ...rules, isStrict: true } }).normalized(camera([55, -100, 5])), [51.05, -114.05]);
  assertPlace(mapView({ rules }).normalized(camera([55, -100, 5])), [55, -100]);
  assertPlace(mapView({ rules }).scrolled(camera([51, -115, 5]), 500, 0), [51, -114.05], 1e-3);
});

test("T-PAD-1: unbalanced padding moves the centre", () => {
  for (const [start, edges, [x, y], [pointX, pointY], place] of vectors.padding.rows) {
    const projection = mapView({ padding: insets(edges) }).projection(camera(start));
    assert.deepEqual(projection.center, { x, y });
    assertPlace(projection.coordinateAt({ x: pointX, y: pointY }), place);
    assertNear(projection.visibleRegion.farLeft.latitude, -33.864736576);
    assertNear(projection.visibleRegion.nearRight.longitude, 151.217183069);
  }
});
