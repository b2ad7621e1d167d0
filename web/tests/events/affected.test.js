import assert from "node:assert/strict";
import { test } from "node:test";

import { isAffected } from "../../events/affected.js";

const tile = (z, x, y, answer) => ({ z, x, y, answer });

test("a clear without a part is about all tiles", () => {
  assert.ok(isAffected({ layer: "world" }, tile(5, 1, 1)));
  assert.ok(isAffected({ zoom: [4, 6] }, tile(5, 1, 1)));
  assert.ok(!isAffected({ zoom: [6, 7] }, tile(5, 1, 1)));
});

test("a clear of a tile is about that one alone", () => {
  assert.ok(isAffected({ tile: [5, 1, 2] }, tile(5, 1, 2)));
  assert.ok(!isAffected({ tile: [5, 1, 2] }, tile(5, 2, 1)));
});

test("a box is about the tiles that it touches, not about those at its edge", () => {
  const quarter = { bbox: [-180, 0, 0, 85.0511287798066] };
  assert.ok(isAffected(quarter, tile(1, 0, 0)));
  assert.ok(!isAffected(quarter, tile(1, 1, 0)));
  assert.ok(!isAffected(quarter, tile(1, 0, 1)));
  assert.ok(isAffected(quarter, tile(0, 0, 0)));
});

test("a box may cross the antimeridian", () => {
  const box = { bbox: [170, -10, -170, 10] };
  assert.ok(isAffected(box, tile(3, 7, 3)) && isAffected(box, tile(3, 0, 4)));
  assert.ok(!isAffected(box, tile(3, 4, 3)));
});

test("what was made of the tiles is affected with them", () => {
  assert.ok(isAffected({ tile: [6, 3, 4] }, tile(5, 1, 2), 2));
  assert.ok(!isAffected({ tile: [6, 3, 4] }, tile(5, 1, 2), 1));
  assert.ok(isAffected({ tile: [3, 0, 1] }, tile(5, 1, 5, { sourceZoom: "3" })));
  assert.ok(!isAffected({ tile: [3, 0, 1] }, tile(5, 1, 5, { sourceZoom: "4" })));
});
