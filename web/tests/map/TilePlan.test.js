import assert from "node:assert/strict";
import { test } from "node:test";

import { CoordinateBounds } from "../../geometry/CoordinateBounds.js";
import { ScreenGround } from "../../map/ScreenGround.js";
import { planTiles, tileLimit } from "../../map/TilePlan.js";
import { tileZoom } from "../../map/LevelRule.js";
import { camera, mapView, vectors } from "../vectors.js";

const layer = { tileSize: 256, minZoom: 0, maxZoom: 22, bounds: null };

function plan(position, { scale = 1, ...changes } = {}) {
  return planTiles(new ScreenGround(mapView().projection(camera(position)), scale), { ...layer, ...changes });
}

test("the zoom of tiles follows from the scale and their size", () => {
  for (const [scale, tileSize, offset] of vectors.tileZoomOffsets.rows) {
    assert.equal(tileZoom(10, scale, tileSize), 10 + offset);
  }
  assert.equal(tileZoom(6.5, 1, 256), 7);
  assert.equal(tileZoom(6.49, 1, 256), 6);
  assert.deepEqual([6.99, 7].map((zoom) => tileZoom(zoom, 1, 256, "floor")), [6, 7]);
});

test("drawings that extend beyond the bounds get the tiles around them", () => {
  const bounds = CoordinateBounds.box([0.1, 10, 40, 40]);
  const xs = (reach) => plan([20, 0, 4], { bounds, reach }).tiles.map((tile) => tile.x);
  assert.ok(xs(0).includes(8) && !xs(0).includes(7));
  assert.ok(xs(1).includes(7) && !xs(1).includes(6));
  const around = plan([0, 180, 3], { bounds: CoordinateBounds.box([178, -5, 179, 5]), reach: 1 });
  assert.ok(around.tiles.some((tile) => tile.x === 0), "also across the antimeridian");
});

test("a view without tilt has the tiles of one zoom", () => {
  const [start, [zoom, count], ...rows] = vectors.covers.rows[0];
  const { tiles, covers } = plan(start);
  assert.equal(tiles.length, count);
  assert.deepEqual(covers.map((cover) => [cover.zoom, cover.rows]), [[zoom, [0, 599]]]);
  for (const [y, first, last] of rows) {
    const xs = tiles.filter((tile) => tile.y === y).map((tile) => tile.x);
    assert.deepEqual([Math.min(...xs), Math.max(...xs)], [first, last]);
  }
});

test("under tilt far rows have coarser tiles, and all rows have some", () => {
  const { covers, tiles } = plan([-33.8683, 151.2086, 16, 30, 65]);
  assert.ok(covers.length > 2);
  assert.equal(covers[0].rows[1], 599);
  assert.equal(covers.at(-1).rows[0], 0);
  for (let index = 1; index < covers.length; index += 1) {
    // The two zooms fade into each other where both are visible.
    assert.ok(covers[index].rows[1] >= covers[index - 1].rows[0] - 1);
  }
  assert.ok(tiles.length <= tileLimit);
  assert.ok(tiles.every((tile, index) => index === 0 || tile.distance >= tiles[index - 1].distance));
});

test("the world repeats to the east and west, and each tile is fetched once", () => {
  const { covers, tiles } = plan([0, 179.9, 1]);
  assert.equal(tiles.length, 4);
  assert.ok(covers[0].tiles.length > 4);
  assert.ok(covers[0].tiles.some((tile) => tile.column > 0 && tile.x === 0));
});

test("deeper than the deepest the deepest are drawn, above the coarsest none", () => {
  assert.equal(plan([0, 0, 10], { maxZoom: 3 }).covers[0].zoom, 3);
  assert.deepEqual(plan([0, 0, 10], { minZoom: 11 }).tiles, []);
  assert.equal(plan([0, 0, 10], { scale: 2 }).covers[0].zoom, 11);
  assert.equal(plan([0, 0, 10], { scale: 2, tileSize: 512 }).covers[0].zoom, 10);
});

test("only tiles within a layer's bounds are wanted", () => {
  const bounds = CoordinateBounds.box([-123.1112, 49.2595, -123.1091, 49.2605]);
  const { tiles } = plan([49.26, -123.11, 14], { bounds });
  assert.ok(tiles.length >= 1 && tiles.length <= 2);
});

test("however many copies of the world are seen, there is a limit", () => {
  const view = mapView({ width: 4000, height: 100 });
  const ground = new ScreenGround(view.projection(camera([0, 0, 0])), 1);
  assert.ok(planTiles(ground, layer).tiles.length <= tileLimit);
  const far = new ScreenGround(mapView().projection(camera([0, 0, 16, 0, 65])), 4);
  assert.ok(planTiles(far, { ...layer, tileSize: 64 }).tiles.length <= tileLimit);
});
