import assert from "node:assert/strict";
import { test } from "node:test";

import { ClientLayer } from "../../clients/ClientLayer.js";
import { likelyBase } from "../../clients/clients.js";
import { layer } from "./snippets.js";

const made = (more, base = "https://tiles.example.org") => new ClientLayer(layer(more), base);

test("an address of the server is one with or without a slash, and with a proxy's prefix", () => {
  for (const base of ["https://a.example/maps", "https://a.example/maps/", "https://a.example/maps/?x=1#y"]) {
    assert.equal(made({}, base).base, "https://a.example/maps");
  }
  assert.equal(made({}, "http://[::1]:8080/").base, "http://[::1]:8080");
  // Characters that URLs escape by themselves.
  assert.equal(made({}, "https://a.example/{x} \"y\"/").base, "https://a.example/%7Bx%7D%20%22y%22");
  for (const base of ["", "tiles.example.org", "/maps", "file:///tmp", "javascript:alert(1)"]) {
    assert.throws(() => made({}, base), TypeError, base);
  }
});

test("names where a map begins, and a tile there", () => {
  const floors = made({ minzoom: 15, bounds: [-123.1112, 49.2595, -123.1091, 49.2605] });
  assert.deepEqual(floors.view, { latitude: 49.26, longitude: -123.11015, zoom: 18, bearing: 0, viewingAngle: 0 });
  assert.deepEqual(floors.tile, { z: 18, x: 41425, y: 89736 });
  assert.deepEqual(made({}).view, { latitude: 20, longitude: 0, zoom: 2, bearing: 0, viewingAngle: 0 });
  assert.equal(made({ minzoom: 5 }).view.zoom, 5);
  // A camera beside the layer.
  const beside = { latitude: 49.2612, longitude: -123.1085, zoom: 18, bearing: 0, viewingAngle: 0 };
  const { view, tile } = new ClientLayer(layer({ minzoom: 15, bounds: [-123.1112, 49.2595, -123.1091, 49.2605] }), "https://a.example", beside);
  assert.deepEqual([view, tile], [beside, { z: 18, x: 41426, y: 89736 }]);
  assert.equal(made({ bounds: [10, 10, 10, 10] }).view.zoom, 18);
  assert.deepEqual(made({ bounds: [0, 0, 0, 0] }).tile, { z: 18, x: 131072, y: 131072 });
  // A tile of 512 points shows as much as four tiles of the next zoom.
  assert.equal(made({ minzoom: 5, tileSize: 512 }).view.zoom, 6);
  assert.deepEqual(made({ bounds: [0, 0, 90, 60], tileSize: 512 }).tile, { z: 1, x: 1, y: 0 });
});

test("has bounds where a client can take them", () => {
  assert.equal(made({}).bounds, null);
  assert.equal(made({ bounds: [-180, -90, 180, 90] }).edges, null);
  const crossing = made({ bounds: [170, -20, -170, -10] });
  assert.equal(crossing.bounds, null);
  assert.deepEqual(crossing.view, { latitude: -15, longitude: 180 - 360, zoom: 5, bearing: 0, viewingAngle: 0 });
  assert.deepEqual(made({ bounds: [-180, -60, 180, 60] }).bounds, { west: -180, south: -60, east: 180, north: 60 });
  assert.deepEqual(made({ bounds: [0, 0, 90, 66.51326044311186] }).edges, { left: 0.5, top: 0.25, right: 0.75, bottom: 0.5 });
});

test("a tile's suffix is one that the scale has", () => {
  const path = (more, options) => made(more).path({ empty: "404", ...options });
  assert.equal(path({}, {}), "/floors/{z}/{x}/{y}.png?empty=404");
  assert.equal(path({ format: "jpg" }, {}), "/floors/{z}/{x}/{y}.jpg?empty=404");
  assert.equal(path({ format: "jpg" }, { ratio: "{r}" }), "/floors/{z}/{x}/{y}{r}.png?empty=404");
  assert.equal(path({ format: "webp" }, {}), "/floors/{z}/{x}/{y}.png?empty=404");
  assert.equal(path({ format: "webp" }, { takesWebP: true }), "/floors/{z}/{x}/{y}.webp?empty=404");
  assert.equal(path({ id: "a-b_c" }, { z: 1, x: 2, y: 3 }), "/a-b_c/1/2/3.png?empty=404");
});

test("phones have tiles of 512 pixels, where there are any", () => {
  const scale = (tileSize, scales) => made({ tileSize, scales }).phoneScale;
  assert.deepEqual([scale(256, [1, 2]), scale(256, [1]), scale(512, [1, 2]), scale(128, [1, 2])], [2, 1, 1, 2]);
  assert.deepEqual([512, 256, 128, 1024, 300].map((tileSize) => made({ tileSize }).depth), [1, 0, -1, 2, null]);
  assert.deepEqual([18, 21, 22, 30].map((maxzoom) => made({ maxzoom }).phoneEmpty), ["overzoom", "overzoom", "transparent", "transparent"]);
});

test("the server is where its documents say, unless they cannot know", () => {
  const base = (told, page) => likelyBase({ id: "a", tilejson: `${told}a.json` }, page);
  assert.equal(base("https://public.example/t/", "http://127.0.0.1:8080/"), "https://public.example/t/");
  assert.equal(base("https://public.example/t/", "https://other.example/"), "https://public.example/t/");
  // Behind a proxy that is not trusted.
  assert.equal(base("http://127.0.0.1:8080/", "https://public.example/t/"), "https://public.example/t/");
  assert.equal(base("http://backend/", "https://public.example/t/"), "https://public.example/t/");
  assert.equal(base("http://localhost:8080/", "http://127.0.0.1:8081/"), "http://127.0.0.1:8081/");
  assert.equal(likelyBase({ id: "a" }, "http://x.example/"), "http://x.example/");
});
