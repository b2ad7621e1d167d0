import assert from "node:assert/strict";
import { test } from "node:test";

import { TileQueue } from "../../map/TileQueue.js";

/** Jobs that record their start, and end when the test says so. */
function jobs() {
  const started = [];
  const aborted = [];
  const ends = new Map();
  const job = (key, priority) => ({
    key, priority,
    run: (signal) => new Promise((resolve) => {
      started.push(key);
      ends.set(key, resolve);
      signal.addEventListener("abort", () => { aborted.push(key); resolve(); });
    }),
  });
  const end = async (key) => { ends.get(key)(); await new Promise(setImmediate); };
  return { job, started, aborted, end };
}

test("runs so many at a time, the most urgent first", async () => {
  const { job, started, end } = jobs();
  const queue = new TileQueue(2);
  queue.replace([job("far", 3), job("near", 1), job("middle", 2)]);
  assert.deepEqual(started, ["near", "middle"]);
  assert.equal(queue.count, 3);
  await end("near");
  assert.deepEqual(started, ["near", "middle", "far"]);
});

test("aborts what is no longer wanted, and goes on with what is", async () => {
  const { job, started, aborted } = jobs();
  const queue = new TileQueue(2);
  queue.replace([job("a", 1), job("b", 2), job("c", 3)]);
  queue.replace([job("b", 1), job("d", 2)]);
  assert.deepEqual(aborted, ["a"]);
  assert.deepEqual(started, ["a", "b", "d"]);
  await new Promise(setImmediate);
  assert.equal(queue.count, 2);
});
