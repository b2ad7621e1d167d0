import assert from "node:assert/strict";
import { test } from "node:test";

import { placeLabels } from "../../map/tileLabels.js";

const widthOf = (text) => text.length * 6;
const label = (x, y, more = {}) => ({ x, y, width: 200, lines: ["15/17160/11467", "Memory", "3 ms"], ...more });

test("labels with space between them are written in full", () => {
  const placed = placeLabels([label(100, 100), label(300, 100), label(100, 200)], widthOf);
  assert.deepEqual(placed.map(({ size, lines }) => [size, lines.length]), [[12, 3], [12, 3], [12, 3]]);
});

test("labels that would meet are smaller, then only the name, then left out", () => {
  const below = (distance) => placeLabels([label(100, 100), label(100, 100 + distance, { width: 150 })], widthOf)[1];
  assert.deepEqual([below(49).size, below(49).lines.length], [12, 3]);
  assert.deepEqual([below(45).size, below(45).lines.length], [10, 3]);
  assert.deepEqual([below(33).size, below(33).lines], [12, ["15/17160/11467"]]);
  assert.deepEqual([below(31).size, below(31).lines], [10, ["15/17160/11467"]]);
  assert.equal(below(20), undefined);
});

test("the labels of wide tiles come first, and that of the selected tile before them", () => {
  const [near, far] = [label(100, 100, { width: 300, lines: ["near"] }), label(100, 95, { width: 90, lines: ["far"] })];
  assert.deepEqual(placeLabels([far, near], widthOf).map(({ lines }) => lines[0]), ["near"]);
  assert.deepEqual(placeLabels([near, { ...far, isSelected: true }], widthOf).map(({ lines }) => lines[0]), ["far"]);
});
