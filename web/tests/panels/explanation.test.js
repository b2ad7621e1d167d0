import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { explanationOf } from "../../panels/explanation.js";
import { LocalText } from "../../text/LocalText.js";

/** Answers of a server, by what they are of. */
const recorded = JSON.parse(readFileSync(new URL("explanations.json", import.meta.url)));
const text = new LocalText("en-GB", "UTC");
const now = Date.parse("2026-11-28T20:10:00Z");

/** Returns the sentences of a recorded answer, changed by `changes`. */
function sentences(name, changes = {}, document = { minzoom: 4, maxzoom: 16 }) {
  return explanationOf({ ...recorded[name], ...changes }, { document, now, text }).map((sentence) => sentence.replaceAll("\u00a0", " "));
}

test("explains a cached tile", () => {
  assert.deepEqual(sentences("cached"), [
    "The memory cache holds this tile: PNG, 256 × 256 pixels, 16.3 KiB, fresh for another 23 h.", "The disk cache holds the same.",
    "The layer gave the tile at 20:08:33.",
  ]);
  assert.deepEqual(sentences("fetched").slice(1), [
    "The disk cache holds the same.", "The source http://127.0.0.1:28203/ok/6/33/22.png?key=*** gave the tile at 20:08:34.",
  ]);
  assert.deepEqual(sentences("cached", { memory: null })[0],
    "The disk cache holds this tile: PNG, 256 × 256 pixels, 16.3 KiB, fresh for another 23 h.");
});

test("explains a tile that nobody has wanted yet", () => {
  assert.deepEqual(sentences("never"), ["No cache holds this tile.", "The server makes or reads the tile when a client wants it."]);
  assert.deepEqual(sentences("mapnever"), sentences("never"));
  assert.deepEqual(sentences("never", { upstream: { ...recorded.fetched.upstream } }), [
    "No cache holds this tile.", "The source is http://127.0.0.1:28203/ok/6/33/22.png?key=***.",
    "The server asks it when a client wants the tile.",
  ]);
  assert.equal(sentences("fetching").at(-1), "The server asks the source for this tile now.");
});

test("explains tiles of maps and of files", () => {
  assert.deepEqual(sentences("map", {}, { layers: [] }), [
    "The memory cache holds this tile: PNG, 256 × 256 pixels, 24.6 KiB, fresh for another 4 s.",
    "Tiles of a map stay fresh as long as the tiles of its layers.", "The map gave the tile at 20:08:41.",
  ]);
  assert.deepEqual(sentences("mbtilesnone"), [
    "The memory cache knows that there is no tile here, for another 54 min.", "The layer had no tile here at 20:09:37.",
  ]);
});

test("explains a stale tile", () => {
  assert.deepEqual(sentences("stale").slice(0, 3), [
    "The memory cache holds this tile: PNG, 256 × 256 pixels, 292 B, stale for 1 s.", "The disk cache holds the same.",
    "The next client gets the stale tile at once, and the server gets a new one meanwhile.",
  ]);
  const older = (ttl) => sentences("stale", { memory: { ...recorded.stale.memory, ttl }, disk: null })[1];
  assert.equal(older(-100), "The next client waits for a new tile, and gets the stale one if there is none (another 7 d).");
  assert.equal(older(-700_000), "The stale tile is too old to be served.");
});

test("explains a source that fails", () => {
  assert.deepEqual(sentences("stalefailing").slice(2), [
    "Clients get the stale tile for another 7 d, unless a new one comes.",
    "The source http://127.0.0.2:28203/okshort/6/33/22.png?key=*** answered 503 at 20:09:34.",
    "The source asked the server to wait, so the server asks again in 3 s.",
  ]);
  assert.deepEqual(sentences("e500").slice(1), [
    "The source http://127.0.0.4:28203/e500/6/33/22.png?key=*** answered 500 at 20:09:26.", "The server asks again in 1 s.",
  ]);
  assert.deepEqual(sentences("down").slice(1), [
    "The source http://127.0.0.1:9/8/31/22.png could not be reached at 20:09:36: the connection to the upstream failed (errno 111).",
    "The last 5 requests to the source failed, so the server asks again only in 10 s.",
  ]);
  assert.deepEqual(sentences("downnever").slice(1), ["The last 5 requests to the source failed, so the server asks again only in 10 s."]);
  assert.match(sentences("slow")[1], /slow\/6\/33\/22.png\?key=\*\*\* did not answer in time at 20:09:28/);
  assert.match(sentences("text")[1], /answered with something that is no image at 20:09:26/);
  const upstream = { ...recorded.down.upstream, breaker: "half_open", waiting: 2 };
  assert.deepEqual(sentences("down", { upstream }).slice(2), [
    "The server tries the source again with one request.", "2 requests wait for the source.",
  ]);
  const often = { ...recorded.e500.lastAnswer, failures: 3, error: "something new" };
  assert.match(sentences("e500", { lastAnswer: often })[1], /was not available at 20:09:26\. It has failed 3 times in a row\.$/);
});

test("explains why a layer has no tile", () => {
  assert.deepEqual(sentences("outside"), ["The layer has no tile 6/1/1: the tile lies outside the layer's bounds."]);
  assert.deepEqual(sentences("shallow"), ["The layer has no tile 2/2/1: it begins at zoom 4."]);
  assert.deepEqual(sentences("shallow", { tile: "17/2/1" }), ["The layer has no tile 17/2/1: it ends at zoom 16."]);
  assert.deepEqual(sentences("cached", { drawn: false, scale: 3 }), ["The layer has no tiles with 3 pixels a point."]);
  assert.equal(sentences("e404")[0], "The memory cache knows that there is no tile here, for another 56 min.");
  assert.equal(sentences("never", { offline: true }).at(-1), "The layer is offline: the server asks no source for it.");
});

test("every recorded answer becomes at most six sentences", () => {
  for (const [name, answer] of Object.entries(recorded)) {
    const found = explanationOf(answer, { text, now });
    assert.ok(found.length >= 1 && found.length <= 6, name);
    for (const sentence of found) assert.match(sentence, /^[A-Z].*\.$/, name);
    assert.ok(!found.join().match(/undefined|null|NaN|Invalid/), found.join(" "));
  }
});
