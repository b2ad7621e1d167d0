import assert from "node:assert/strict";
import { test } from "node:test";

import { LevelCover } from "../../map/LevelCover.js";
import { piecesOf } from "../../map/pieces.js";

/** Returns a cover with tile 2/1/1 alone. The target is over its north-west corner. */
function cover() {
  const cover = new LevelCover(2, { x: 0.25, y: 0.25 });
  cover.tiles = [{ z: 2, x: 1, y: 1, column: 0, row: 0 }];
  return cover;
}

function pieces(known, opacity = 1) {
  const find = ({ z, x, y }) => known[`${z}/${x}/${y}`];
  return piecesOf(cover(), find, (tile) => (tile.isNew ? opacity : 1));
}

test("draws the tile where it is there, and nothing where it does not exist", () => {
  const tile = {};
  assert.deepEqual(pieces({ "2/1/1": tile }), {
    pieces: [{ tile, west: 0, north: 0, side: 0.25, part: { x: 0, y: 0, size: 1 }, weight: 1, joins: [0, 0, 0, 0] }], isFading: false,
  });
  assert.deepEqual(pieces({ "2/1/1": "none", "1/0/0": tile }).pieces, []);
});

test("draws the part of a coarser tile until the tile is there", () => {
  const tile = {};
  const [piece] = pieces({ "0/0/0": tile }).pieces;
  assert.deepEqual([piece.tile, piece.part, piece.side], [tile, { x: 0.25, y: 0.25, size: 0.25 }, 0.25]);
});

test("draws finer tiles where they are all there, a coarser one before some of them", () => {
  const fine = { "3/2/2": {}, "3/3/2": {}, "3/2/3": {}, "3/3/3": {} };
  assert.equal(pieces({ ...fine, "1/0/0": {} }).pieces.length, 4);
  const [piece] = pieces({ ...fine, "3/3/3": undefined, "1/0/0": {} }).pieces;
  assert.equal(piece.part.size, 0.5);
  assert.equal(pieces({ ...fine, "3/3/3": undefined }).pieces.length, 3);
  const last = pieces({ ...fine, "3/3/3": "none" }).pieces.at(-1);
  assert.deepEqual([last.west, last.north, last.side], [0, 0.125, 0.125]);
});

test("a new tile fades into what stood in for it", () => {
  const { pieces: both, isFading } = pieces({ "2/1/1": { isNew: true }, "1/0/0": {} }, 0.25);
  assert.deepEqual(both.map((piece) => piece.weight), [0.75, 0.25]);
  assert.ok(isFading);
  assert.ok(!pieces({ "2/1/1": { isNew: true } }, 0.25).isFading);
});

test("tiles side by side know of each other, new ones only when they are there entirely", () => {
  const two = cover();
  two.tiles.push({ z: 2, x: 2, y: 1, column: 1, row: 0 });
  const joins = (opacity) => piecesOf(two, ({ z }) => (z === 2 ? {} : undefined), () => opacity).pieces.map((piece) => piece.joins);
  assert.deepEqual(joins(1), [[0, 0, 1, 0], [1, 0, 0, 0]]);
  assert.deepEqual(joins(0.5), [[0, 0, 0, 0], [0, 0, 0, 0]]);
});
