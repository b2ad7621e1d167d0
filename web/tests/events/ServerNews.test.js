import assert from "node:assert/strict";
import { test } from "node:test";

import { partOf, ServerNews } from "../../events/ServerNews.js";

test("says in words what an event is about", () => {
  assert.equal(partOf({}), "all tiles");
  assert.equal(partOf({ tile: [3, 4, 5] }), "tile 3/4/5");
  assert.equal(partOf({ zoom: [3, 3] }), "all tiles of zoom 3");
  assert.equal(
    partOf({ bbox: [-122.670410156, 48.855637746, 1, 2], zoom: [0, 7] }), "box -122.6704, 48.8556, 1, 2 of zoom 0–7");
});

/** Returns a ServerNews for a viewer of the layers a and b, and records its effects. */
function newsOf(documents) {
  const [expired, read, noted] = [[], [], []];
  const layer = (id) => [id, { id, scale: 1, tiles: { expire: () => (expired.push(id), 1) } }];
  const viewer = {
    stack: { entries: new Map([layer("a"), layer("b")]) },
    map: { invalidate() {} },
    cachePanel: { note: (text) => noted.push(text) },
    setDocuments: (list) => read.push(list),
  };
  return { news: new ServerNews(viewer, { documents }), expired, read, noted };
}

test("a clear is about one layer, or all", () => {
  const { news, expired } = newsOf();
  assert.equal(news.take({ type: "clear", layer: "b" }), 1);
  assert.equal(news.take({ type: "clear", layer: "*" }), 2);
  assert.equal(news.take({ type: "something new" }), 0);
  assert.deepEqual(expired, ["b", "a", "b"]);
});

test("the page's log says what has happened, and to what", async () => {
  const { news, noted } = newsOf(async () => []);
  news.take({ type: "clear", layer: "a", soft: true, zoom: [3, 4] });
  news.take({ type: "clear", layer: "*" });
  news.take({ type: "reset" });
  news.take({ type: "layer", layer: "b", change: "removed" });
  await new Promise(setImmediate);
  assert.deepEqual(noted, [
    "a: all tiles of zoom 3–4 stale, 1 reloaded", "all layers: all tiles cleared, 2 reloaded",
    "all tiles may have changed, 2 reloaded", "b: removed, 1 reloaded",
  ]);
});

test("layers that change at once are read once", async () => {
  const answers = [];
  const { news, expired, read } = newsOf(() => new Promise((resolve) => answers.push(resolve)));
  for (const id of ["a", "b", "b"]) news.take({ type: "layer", layer: id, change: "changed" });
  assert.equal(answers.length, 1);
  answers[0](["first"]);
  await new Promise(setImmediate);
  // The changes that arrived during the first read are read together.
  assert.equal(answers.length, 2);
  assert.deepEqual(expired, ["a"]);
  answers[1](["second"]);
  await new Promise(setImmediate);
  assert.deepEqual([answers.length, read, expired], [2, [["first"], ["second"]], ["a", "b"]]);
});

test("a server that is away is asked again at the next event", async () => {
  let count = 0;
  const { news, read } = newsOf(async () => {
    count += 1;
    if (count === 1) throw new Error("away");
    return [];
  });
  news.take({ type: "reset" });
  await new Promise(setImmediate);
  news.take({ type: "reset" });
  await new Promise(setImmediate);
  assert.deepEqual([count, read.length], [2, 1]);
});
