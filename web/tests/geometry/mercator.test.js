import assert from "node:assert/strict";
import { test } from "node:test";

import {
  maxLatitude, pointsPerMetre, project, tileAt, tileBounds, unproject, worldSize, zoomAt,
} from "../../geometry/mercator.js";
import { wrapLongitude } from "../../geometry/numbers.js";
import { assertNear, vectors } from "../vectors.js";

test("the world doubles with each zoom", () => {
  for (const [zoom, size] of vectors.worldSizes.rows) assertNear(worldSize(zoom), size, 1e-4);
});

test("longitudes wrap", () => {
  for (const [longitude, wrapped] of vectors.wrappedLongitudes.rows) assert.equal(wrapLongitude(longitude), wrapped);
});

test("finds the tile that holds a place", () => {
  for (const [latitude, longitude, z, x, y] of vectors.tiles.rows) {
    assert.deepEqual(tileAt({ latitude, longitude }, z), { z, x, y });
  }
});

test("knows the edges of tiles", () => {
  for (const [[z, x, y], [north, south, west, east]] of vectors.tileBounds.rows) {
    const bounds = tileBounds({ z, x, y });
    assertNear(bounds.north, north, 1e-8);
    assertNear(bounds.south, south, 1e-8);
    assertNear(bounds.west, west);
    assertNear(bounds.east, east);
  }
});

test("projects as GMSProject does", () => {
  for (const [latitude, longitude, x, y] of vectors.mapPoints.rows) {
    const point = project({ latitude, longitude });
    assertNear(2 * point.x - 1, x, 1e-8);
    assertNear(1 - 2 * point.y, y, 1e-8);
  }
});

test("the world's edges are exact, and places come back", () => {
  assert.equal(project({ latitude: 90, longitude: 0 }).y, 0);
  assert.equal(project({ latitude: -maxLatitude, longitude: 0 }).y, 1);
  for (let latitude = -84; latitude <= 84; latitude += 7) {
    assertNear(unproject(project({ latitude, longitude: 12 })).latitude, latitude, 1e-9);
  }
});

test("finds the zoom at which a length is so many points", () => {
  for (const [latitude, metres, points, zoom] of vectors.zoomsAtCoordinate.rows) {
    assertNear(zoomAt(latitude, metres, points), zoom);
  }
  for (const [metres, latitude, zoom, points] of vectors.pointsForMetres.rows) {
    assertNear(metres * pointsPerMetre(latitude) * 2 ** zoom, points, 1e-4);
  }
});
