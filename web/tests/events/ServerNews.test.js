import assert from "node:assert/strict";
import { test } from "node:test";

import { partOf } from "../../events/ServerNews.js";

test("says in words what an event is about", () => {
  assert.equal(partOf({}), "all tiles");
  assert.equal(partOf({ tile: [3, 4, 5] }), "tile 3/4/5");
  assert.equal(partOf({ zoom: [3, 3] }), "all tiles of zoom 3");
  assert.equal(partOf({ bbox: [-122.670410156, 48.855637746, 1, 2], zoom: [0, 7] }), "box -122.6704, 48.8556, 1, 2 of zoom 0–7");
});
