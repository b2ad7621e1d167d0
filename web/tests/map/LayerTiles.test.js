import assert from "node:assert/strict";
import { test } from "node:test";

import { LayerTiles } from "../../map/LayerTiles.js";
import { backoff, requestTile } from "../../map/requestTile.js";

const place = { z: 3, x: 2, y: 1 };

function answers(...results) {
  const asked = [];
  const request = async (url, options) => {
    asked.push({ url, ...options });
    return { image: null, answer: { status: 200 }, retryAfter: null, ...results[Math.min(asked.length, results.length) - 1] };
  };
  return { asked, request };
}

function layer(...results) {
  const { asked, request } = answers(...results);
  const released = [];
  const url = ({ z, x, y }) => `world/${z}/${x}/${y}.png`;
  const tiles = new LayerTiles({ url, request, release: (tile) => released.push(tile.image) });
  return { tiles, asked, released };
}

test("asks once for a tile, and for none that does not exist", async () => {
  const { tiles, asked } = layer({ kind: "none" });
  assert.ok(tiles.isWanted(place, 0));
  await tiles.load(place);
  assert.ok(!tiles.isWanted(place, 1e12));
  assert.equal(asked[0].url, "world/3/2/1.png");
  assert.equal(asked[0].isReload, false);
});

test("asks again for a tile that failed when its time has come", async () => {
  const { tiles } = layer({ kind: "failed", retryAfter: 5 }, { kind: "image", image: "picture" });
  await tiles.load(place);
  const { retryAt } = tiles.get(place);
  assert.equal(tiles.retryTime([place]), retryAt);
  assert.ok(!tiles.isWanted(place, retryAt - 1));
  assert.ok(tiles.isWanted(place, retryAt));
  await tiles.load(place);
  assert.equal(tiles.get(place).image, "picture");
  assert.equal(tiles.retryTime([place]), Infinity);
});

test("keeps the old image of an expired tile until the new one is there, past the browser's cache", async () => {
  const { tiles, asked, released } = layer(
    { kind: "image", image: "old" }, { kind: "failed" }, { kind: "image", image: "new" }, { kind: "none" });
  await tiles.load(place);
  assert.equal(tiles.expire(), 1);
  assert.equal(tiles.get(place).image, "old");
  assert.ok(tiles.isWanted(place, 0));
  await tiles.load(place);
  assert.deepEqual([tiles.get(place).image, tiles.get(place).kind, released], ["old", "image", []]);
  assert.ok(!tiles.isWanted(place, tiles.get(place).retryAt - 1));
  await tiles.load(place);
  assert.equal(tiles.get(place).image, "new");
  tiles.expire();
  await tiles.load(place);
  assert.deepEqual([tiles.get(place).kind, released], ["none", ["new"]]);
  assert.deepEqual(asked.map((request) => request.isReload), [false, true, true, true]);
});

test("does not believe an answer that was on its way when the tile was cleared", async () => {
  let finish;
  const request = () => new Promise((resolve) => { finish = resolve; });
  const tiles = new LayerTiles({ url: () => "", request });
  const loading = tiles.load(place);
  tiles.expire();
  finish({ kind: "image", image: "before", answer: {}, retryAfter: null });
  await loading;
  assert.ok(tiles.isWanted(place, 0));
});

test("expires the affected tiles alone", async () => {
  const { tiles } = layer({ kind: "image", image: "picture" });
  await tiles.load(place);
  await tiles.load({ z: 3, x: 3, y: 1 });
  assert.equal(tiles.expire((tile) => tile.x === 2), 1);
  assert.ok(tiles.isWanted(place, 0));
  assert.ok(!tiles.isWanted({ z: 3, x: 3, y: 1 }, 0));
});

test("a layer is down after some failures in a row, until a tile comes", async () => {
  const { tiles } = layer(...Array(6).fill({ kind: "failed" }), { kind: "image", image: "picture" });
  for (let x = 0; x < 6; x += 1) {
    assert.ok(!tiles.isDown);
    await tiles.load({ z: 3, x, y: 0 });
  }
  assert.ok(tiles.isDown);
  await tiles.load({ z: 3, x: 6, y: 0 });
  assert.ok(!tiles.isDown);
});

test("drops what has not been used for the longest time", async () => {
  const { tiles, released } = layer({ kind: "image", image: "a" }, { kind: "image", image: "b" }, { kind: "image", image: "c" });
  for (let x = 0; x < 3; x += 1) {
    await tiles.load({ z: 3, x, y: 0 });
    tiles.get({ z: 3, x, y: 0 }).usedAt = 10 - x;
  }
  tiles.trim(1, 10);
  assert.deepEqual(released, ["c", "b"]);
});

test("waits 1, 2, 4 … 64 seconds", () => {
  assert.deepEqual([1, 2, 3, 7, 8, 2000].map(backoff), [1, 2, 4, 64, 64, 64]);
});

const answer = (status, headers = {}, body = null) => ({ fetch: async () => new Response(body, { status, headers }) });

test("tells a tile, no tile, not now and never from each other", async () => {
  const decode = async () => "picture";
  const kind = async (...parts) => (await requestTile("", { ...answer(...parts), decode })).kind;
  assert.equal(await kind(200), "image");
  assert.equal(await kind(204, { "X-Tile-Status": "no-tile" }), "none");
  assert.equal(await kind(404, { "X-Tile-Status": "no-tile" }), "none");
  assert.equal(await kind(200, { "X-Tile-Status": "no-tile" }), "none");
  assert.equal(await kind(404), "refused");
  assert.equal(await kind(503), "failed");
  assert.equal(await kind(502), "failed");
});

test("reads what an answer says", async () => {
  const body = JSON.stringify({ code: "upstream-down", title: "The source is left alone for now." });
  const result = await requestTile("", answer(503, { "Retry-After": "7", "Cache-Status": "tileserver; detail=down" }, body));
  assert.equal(result.retryAfter, 7);
  assert.equal(result.answer.code, "upstream-down");
  assert.equal(result.answer.cacheStatus, "tileserver; detail=down");
  const pictured = await requestTile("", answer(502, { "X-Problem": "upstream-unreachable" }, "a picture"));
  assert.equal(pictured.answer.code, "upstream-unreachable");
});

test("a server that cannot be reached and an image that is none are failures", async () => {
  const fetch = async () => { throw new TypeError("no connection"); };
  assert.equal((await requestTile("", { fetch })).kind, "failed");
  const decode = async () => { throw new Error("no image"); };
  const result = await requestTile("", { ...answer(200), decode });
  assert.deepEqual([result.kind, result.answer.status], ["failed", 200]);
});

test("a request that is aborted while its problem is read rejects", async () => {
  const controller = new AbortController();
  const response = new Response("{}", { status: 503 });
  response.json = async () => {
    controller.abort();
    throw new DOMException("", "AbortError");
  };
  await assert.rejects(requestTile("", { fetch: async () => response, signal: controller.signal }));
});

test("an aborted request rejects", async () => {
  const controller = new AbortController();
  controller.abort();
  const fetch = async () => { throw new DOMException("", "AbortError"); };
  await assert.rejects(requestTile("", { fetch, signal: controller.signal }));
});

test("requests a failed tile again at once if it is told so", async () => {
  const { tiles } = layer({ kind: "failed", retryAfter: 60 });
  await tiles.load(place);
  const now = performance.now();
  tiles.retry(() => false);
  assert.ok(!tiles.isWanted(place, now));
  tiles.retry((tile) => tile.failures === 1);
  assert.ok(tiles.isWanted(place, now));
});
