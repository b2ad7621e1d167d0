import assert from "node:assert/strict";
import { test } from "node:test";

import { problemOf } from "../../map/problemOf.js";

const failed = (code, title) => ({ kind: "failed", answer: { status: 502, code, title } });

test("keeps saying why while the source is left alone, and nothing once a tile is there", () => {
  const layer = {};
  assert.equal(problemOf(layer, failed("upstream-unreachable", "Unreachable.")), "Unreachable.");
  assert.equal(problemOf(layer, failed("upstream-down", "Left alone.")), "Unreachable.");
  assert.equal(problemOf(layer, { kind: "image", answer: { status: 200 } }), null);
  assert.equal(problemOf(layer, failed("upstream-down", "Left alone.")), "Left alone.");
  assert.equal(problemOf(layer, { kind: "failed", answer: { status: 500 } }), "The server answers 500.");
});
