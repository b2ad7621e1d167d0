import assert from "node:assert/strict";
import { test } from "node:test";

import { TileQueue } from "../../map/TileQueue.js";
import { fewest, most, mostAborts, observeRequestLimit, requestLimit } from "../../map/requestLimit.js";

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

test("starts the most urgent waiting jobs as soon as the limit rises", async () => {
  const { job, started, aborted, end } = jobs();
  const queue = new TileQueue(1);
  queue.replace([job("d", 4), job("b", 2), job("a", 1), job("c", 3)]);
  assert.deepEqual(started, ["a"]);
  queue.limit = 3;
  assert.deepEqual(started, ["a", "b", "c"]);
  queue.limit = 1;
  await end("a");
  assert.deepEqual(started, ["a", "b", "c"]);
  assert.deepEqual(aborted, []);
});

test("aborts no more jobs than the server allows, and lets the others go on", async () => {
  const { job, started, aborted, end } = jobs();
  let time = 0;
  const queue = new TileQueue(most, () => time);
  const view = (index) => Array.from({ length: most }, (_, each) => job(`${index}:${each}`, each));
  for (let index = 0; index < 10; index += 1) queue.replace(view(index));
  assert.equal(aborted.length, mostAborts);
  assert.equal(started.length, most + mostAborts);
  // A place becomes free at the end of an unwanted job. The most urgent job of the view takes the place.
  const unwanted = started.find((key) => !aborted.includes(key));
  await end(unwanted);
  assert.equal(started.at(-1), "9:0");
  time += 1000;
  queue.replace(view(10));
  assert.equal(aborted.length, mostAborts + mostAborts / 10);
});

test("aborts all unwanted jobs over HTTP/1.1", () => {
  const { job, aborted } = jobs();
  const queue = new TileQueue(fewest, () => 0);
  const view = (index) => Array.from({ length: fewest }, (_, each) => job(`${index}:${each}`, each));
  for (let index = 0; index < 100; index += 1) queue.replace(view(index));
  assert.equal(aborted.length, 99 * fewest);
});

test("chooses the number of requests by the protocol", () => {
  assert.equal(new TileQueue().limit, fewest);
  assert.equal(fewest, 6);
  for (const protocol of ["http/1.0", "http/1.1"]) assert.equal(requestLimit(protocol), fewest);
  for (const protocol of ["h2", "h3"]) assert.equal(requestLimit(protocol), most);
  // Entries of a cached, failed or aborted request.
  for (const protocol of ["", "unknown"]) assert.equal(requestLimit(protocol), null);
});

test("follows the protocol of the page's responses", () => {
  /** A PerformanceObserver whose entries the test makes. */
  class Observer {
    static hear;
    constructor(hear) {
      const entries = (names) => names.map((nextHopProtocol) => ({ nextHopProtocol }));
      Observer.hear = (...names) => hear({ getEntries: () => entries(names) });
    }
    observe(options) { assert.deepEqual(options, { type: "resource", buffered: true }); }
  }
  const queue = new TileQueue();
  observeRequestLimit((limit) => { queue.limit = limit; }, Observer);
  Observer.hear("http/1.1", "");
  assert.equal(queue.limit, fewest);
  Observer.hear("h2", "");
  assert.equal(queue.limit, most);
  Observer.hear("http/1.1");
  assert.equal(queue.limit, fewest);
});
