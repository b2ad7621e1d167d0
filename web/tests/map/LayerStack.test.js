import assert from "node:assert/strict";
import { test } from "node:test";

import { LayerStack } from "../../map/LayerStack.js";
import { MapLayer } from "../../map/MapLayer.js";
import { thumbnailTile } from "../../panels/layerRows.js";

const world = [-180, -85.0511287798066, 180, 85.0511287798066];

function document(id, more = {}) {
  return { id, bounds: world, minzoom: 0, maxzoom: 22, tileSize: 256, scales: [1, 2], format: "png", zIndex: 0, ...more };
}

function stack(...documents) {
  const made = new LayerStack();
  made.setDocuments(documents, (each) => new MapLayer(each, () => {}));
  return made;
}

const ids = ({ shown }) => shown.map((layer) => layer.id);

test("shows a layer above those of its zIndex, and moves it", () => {
  const made = stack(document("grid", { zIndex: 100 }), document("world"), document("night", { zIndex: 80 }));
  for (const id of ["grid", "world", "night"]) made.show(made.entries.get(id));
  assert.deepEqual(ids(made), ["world", "night", "grid"]);
  made.move(made.entries.get("grid"), 0);
  assert.deepEqual(ids(made), ["grid", "world", "night"]);
  made.move(made.entries.get("night"), 99);
  made.hide(made.entries.get("world"));
  assert.deepEqual(ids(made), ["grid", "night"]);
  assert.ok(!made.entries.get("world").isVisible);
});

test("shows what an address asks for, and leaves out what there is not", () => {
  const made = stack(document("a"), document("b"));
  made.setShown([{ id: "b", opacity: 0.5 }, { id: "c", opacity: 1 }, { id: "b", opacity: 1 }]);
  assert.deepEqual(ids(made), ["b"]);
  assert.equal(made.entries.get("b").opacity, 0.5);
});

test("keeps layers that stay, and forgets those that go", () => {
  const made = stack(document("a"), document("b"));
  const [a, b] = made.entries.values();
  made.setShown([{ id: "a", opacity: 1 }, { id: "b", opacity: 1 }]);
  made.setDocuments([document("b", { name: "New" }), document("c")], (each) => new MapLayer(each, () => {}));
  assert.deepEqual([...made.entries.keys()], ["b", "c"]);
  assert.equal(made.entries.get("b"), b);
  assert.equal(b.name, "New");
  assert.deepEqual(ids(made), ["b"]);
  assert.ok(!made.shown.includes(a));
});

test("asks for tiles that suit the screen, by addresses relative to the page", () => {
  const layer = new MapLayer(document("world", { format: "jpg" }), () => {});
  assert.equal(layer.url({ z: 3, x: 2, y: 1 }), "world/3/2/1.jpg?empty=204");
  layer.setPixels(1.5);
  assert.equal(layer.url({ z: 3, x: 2, y: 1 }), "world/3/2/1@2x.png?empty=204");
  layer.setPixels(3);
  assert.deepEqual([layer.scale, layer.kind.tileSize, layer.bounds], [2, 512, null]);
});

test("a layer's picture is the deepest tile that shows all of it", () => {
  assert.deepEqual(thumbnailTile(document("world")), { z: 0, x: 0, y: 0 });
  const floors = { bounds: [-123.1112, 49.2595, -123.1091, 49.2605], minzoom: 15 };
  const { z, x, y } = thumbnailTile(floors);
  assert.ok(z >= 15 && x < 2 ** z && y < 2 ** z);
  assert.equal(thumbnailTile({ bounds: [170, -10, -170, 10], minzoom: 4 }).z, 4);
});
