import assert from "node:assert/strict";
import { test } from "node:test";

import { nearestLayer, unknownLayers } from "../../input/unknownLayers.js";

const layers = [
  { id: "world", name: "World" }, { id: "relief", name: "Relief" }, { id: "graticule", name: "Meridians and parallels" },
  { id: "floors", name: "Floors" }, { id: "floors2", name: "Floors above" },
];
const entries = new Map(layers.map((layer) => [layer.id, layer]));
const near = (text) => nearestLayer(text, layers)?.id ?? null;

test("finds the layer whose id or name is close", () => {
  assert.equal(near("wrold"), "world");
  assert.equal(near("World"), "world");
  assert.equal(near("worlds"), "world");
  assert.equal(near("meridians"), "graticule");
  assert.equal(near("gratikule"), "graticule");
});

test("offers no layer that is not close", () => {
  for (const text of ["", "x", "satellite", "wo"]) assert.equal(near(text), null, text);
});

test("names the layers that the server does not have, and what they may be", () => {
  assert.equal(unknownLayers(["world", "relief"], entries), null);
  const one = unknownLayers(["world", "releif"], entries);
  assert.equal(one.text, 'The server has no layer "releif", which the page\'s address names. Did you mean "relief"?');
  assert.deepEqual(one.near, [layers[1]]);
  const many = unknownLayers(["p1", "p2", "p3", "p4", "p5", "p1"], entries);
  assert.equal(many.text, 'The server has no layers "p1", "p2", "p3" and 2 more, which the page\'s address names.');
  assert.deepEqual(many.near, []);
});

test("joins two names with or", () => {
  const two = unknownLayers(["releif", "wrold"], entries);
  assert.equal(
    two.text, 'The server has no layers "releif" or "wrold", which the page\'s address names. Did you mean "relief" or "world"?');
});
