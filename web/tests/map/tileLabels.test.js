import assert from "node:assert/strict";
import { test } from "node:test";

import { placeLabels } from "../../map/tileLabels.js";

const widthOf = (text) => text.length * 6;
const label = (x, y, more = {}) => ({ x, y, width: 200, height: 60, lines: ["15/17160/11467", "Memory", "3 ms"], ...more });

test("labels with space between them are written in full", () => {
  const placed = placeLabels([label(100, 100), label(300, 100), label(100, 200)], widthOf);
  assert.deepEqual(placed.map(({ lines }) => lines.length), [3, 3, 3]);
});

test("labels that would meet are only the name, then left out", () => {
  const below = (distance) => placeLabels([label(100, 100), label(100, 100 + distance, { width: 150 })], widthOf)[1];
  assert.equal(below(49).lines.length, 3);
  assert.deepEqual(below(45).lines, ["15/17160/11467"]);
  assert.deepEqual(below(33).lines, ["15/17160/11467"]);
  assert.equal(below(31), undefined);
});

test("a label is not higher than its tile, unless the tile is selected", () => {
  const inTile = (height, more = {}) => placeLabels([label(100, 100, { height, ...more })], widthOf)[0]?.lines.length;
  assert.deepEqual([48, 47, 16, 15].map((height) => inTile(height)), [3, 1, 1, undefined]);
  assert.equal(inTile(15, { isSelected: true }), 3);
});

test("no label lies under a panel", () => {
  const panel = { left: 0, right: 90, top: 0, bottom: 500 };
  const placed = placeLabels([label(100, 100), label(200, 100)], widthOf, [panel]);
  assert.deepEqual(placed.map(({ x }) => x), [200]);
});

test("the labels of wide tiles come first, and that of the selected tile before them", () => {
  const [near, far] = [label(100, 100, { width: 300, lines: ["near"] }), label(100, 95, { width: 90, lines: ["far"] })];
  assert.deepEqual(placeLabels([far, near], widthOf).map(({ lines }) => lines[0]), ["near"]);
  assert.deepEqual(placeLabels([near, { ...far, isSelected: true }], widthOf).map(({ lines }) => lines[0]), ["far"]);
});
