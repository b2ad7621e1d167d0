import assert from "node:assert/strict";
import { test } from "node:test";

import { isServerFailure, namesText, outagesOf, outageText, retryText } from "../../map/outage.js";
import { LocalText } from "../../text/LocalText.js";

const text = new LocalText("de-DE", "UTC");
const now = Date.UTC(2026, 10, 28, 14, 5, 9);
const place = (x) => ({ z: 2, x, y: 1 });

const image = { kind: "image", failures: 0, answer: { status: 200 } };
const lost = { kind: "failed", failures: 2, answer: { status: 503, code: "upstream-down" } };
const cut = { kind: "failed", failures: 2, answer: { status: 0 } };
const refused = { kind: "refused", failures: 0, answer: { status: 403, code: "forbidden" } };

function plan(name, tiles, isDown = false) {
  const get = ({ x }) => tiles[x];
  return { layer: { id: name.toLowerCase(), name, tiles: { isDown, get } }, plan: { tiles: tiles.map((_, x) => place(x)) } };
}

const said = (plans, options = {}) => outageText(outagesOf(plans, [], now), { now, text, ...options });

test("a view with all its tiles, or whose tiles are still on their way, lacks nothing", () => {
  assert.equal(said([plan("World", [image, undefined, { kind: "unknown", failures: 0, answer: null }])]), "");
  assert.equal(said([]), "");
});

test("says that the server does not answer, whatever else is away", () => {
  assert.equal(said([plan("World", [cut, image]), plan("Relief", [lost])]), "The server has not answered since 14:05.");
  assert.equal(said([plan("World", [cut])], { isOnline: false }), "This device has been offline since 14:05.");
});

test("an answer of a proxy without a server counts as none", () => {
  assert.ok(isServerFailure({ status: 0 }));
  assert.ok(isServerFailure({ status: 502 }));
  assert.ok(!isServerFailure({ status: 502, code: "upstream-down" }));
  assert.ok(!isServerFailure({ status: 500 }));
  assert.ok(!isServerFailure(null));
});

test("names the layers that are away, at most three of them", () => {
  assert.equal(said([plan("World", [lost])]), "World has been unavailable since 14:05.");
  assert.equal(said([plan("World", [lost]), plan("Relief", [lost]), plan("Grid", [image])]), "World and Relief have been unavailable since 14:05.");
  assert.equal(namesText(["A", "B", "C"]), "A, B and C");
  assert.equal(namesText(["A", "B", "C", "D", "E"]), "A, B and 3 more");
});

test("distinguishes a layer that is away from one that lacks some tiles, and from one that is refused", () => {
  assert.equal(said([plan("World", [lost, image])]), "Some tiles of World have been missing since 14:05.");
  assert.equal(said([plan("World", [lost, image], true)]), "World has been unavailable since 14:05.");
  assert.equal(said([plan("World", [refused, image])]), "The server has refused tiles of World since 14:05.");
});

test("an outage keeps its beginning until tiles arrive, and the longest is named first", () => {
  const hour = 3_600_000;
  const before = outagesOf([plan("Relief", [lost])], [], now - hour);
  const after = outagesOf([plan("World", [lost]), plan("Relief", [lost])], before, now);
  assert.deepEqual(after.map(({ id, since }) => [id, since]), [["relief", now - hour], ["world", now]]);
  assert.equal(outageText(after, { now, text }), "Relief and World have been unavailable since 13:05.");
  const back = outagesOf([plan("Relief", [image])], after, now);
  assert.deepEqual(outagesOf([plan("Relief", [lost])], back, now)[0].since, now);
});

test("counts whole seconds until the next request", () => {
  assert.equal(retryText(5000, 1100), "Trying again in 4 s.");
  assert.equal(retryText(5000, 4999), "Trying again in 1 s.");
  assert.equal(retryText(5000, 5000), "Trying again …");
  assert.equal(retryText(Infinity, 5000), "");
});
