import assert from "node:assert/strict";
import { test } from "node:test";

import { placesNamed } from "../../input/namedPlaces.js";

const rows = [
  ["Deutschland", 51, 10, 5], ["New York", 40.7, -74, 6], ["York", 54, -1, 8], ["Zürich", 47.4, 8.5, 7], ["Yaounde", 3.9, 11.5, 6],
  ["Saint-Denis", 48.9, 2.4, 9], ["Denver", 39.7, -105, 6],
];
const names = (text) => placesNamed(rows, text).map(({ label }) => label);

test("finds names by their beginning, then by the beginning of a later word", () => {
  assert.deepEqual(names("york"), ["York", "New York"]);
  assert.deepEqual(names(" DE"), ["Deutschland", "Denver", "Saint-Denis"]);
  assert.deepEqual(names("ork"), []);
});

test("ignores accents and case, and waits for two letters", () => {
  assert.deepEqual(names("zurich"), ["Zürich"]);
  assert.deepEqual(names("Zü"), ["Zürich"]);
  assert.deepEqual(names("y"), []);
  assert.deepEqual(names(""), []);
});

test("has at most five places, the most important ones", () => {
  const many = Array.from({ length: 20 }, (_, index) => [`San ${index}`, 0, 0, 6]);
  assert.deepEqual(placesNamed(many, "san").map(({ label }) => label), ["San 0", "San 1", "San 2", "San 3", "San 4"]);
});

test("returns coordinates and a zoom", () => {
  assert.deepEqual(placesNamed(rows, "zürich"), [{ label: "Zürich", latitude: 47.4, longitude: 8.5, zoom: 7 }]);
});
