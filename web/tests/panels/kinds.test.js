import assert from "node:assert/strict";
import { test } from "node:test";

import { kindName, layerURLs, summaryOf } from "../../panels/kinds.js";

test("names the kind of a layer if the server states one", () => {
  assert.equal(kindName({ kind: "url" }), "URL");
  assert.equal(kindName({ kind: "generator" }), "generator");
  assert.equal(kindName({ kind: "something new" }), "something new");
  for (const document of [{}, { kind: "" }, { kind: null }, { kind: 3 }]) assert.equal(kindName(document), null);
  assert.equal(kindName({ kind: "toString" }), "toString");
});

test("summarises a layer in one line", () => {
  assert.equal(summaryOf({ id: "a", kind: "mbtiles", minzoom: 0, maxzoom: 5, description: "Towns" }), "a · MBTiles · zoom\u00a00\u2060–\u20605 · Towns");
  assert.equal(summaryOf({ id: "a", minzoom: 0, maxzoom: 5 }), "a · zoom\u00a00\u2060–\u20605");
  assert.equal(summaryOf({ id: "a" }), "a");
});

test("gives the addresses of a layer, without its generation", () => {
  const document = {
    id: "world", tilejson: "https://maps.example/t/world.json", tiles: ["https://maps.example/t/world/{z}/{x}/{y}.webp?v=1795896497"],
  };
  assert.deepEqual(layerURLs(document, "http://127.0.0.1:8080/").map(({ url }) => url), [
    "https://maps.example/t/world.json", "https://maps.example/t/world/wmts.xml", "https://maps.example/t/world/{z}/{x}/{y}.webp",
  ]);
  assert.deepEqual(layerURLs({ id: "world" }, "http://127.0.0.1:8080/t/").map(({ url }) => url), [
    "http://127.0.0.1:8080/t/world.json", "http://127.0.0.1:8080/t/world/wmts.xml", "http://127.0.0.1:8080/t/world/{z}/{x}/{y}.png",
  ]);
  const local = { ...document, tilejson: "http://127.0.0.1:8080/world.json" };
  assert.equal(layerURLs(local, "https://a.example/maps/")[0].url, "https://a.example/maps/world.json", "behind a proxy that is not trusted");
});
