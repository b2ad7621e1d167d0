import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Metrics, readMetrics } from "../../server/metrics.js";
import { layerSizes, requestRate, serverNumbers } from "../../server/serverNumbers.js";

const recorded = (name) => readFileSync(new URL(name, import.meta.url), "utf8");

test("reads names, labels and values of samples", () => {
  const text = [
    "# HELP a Things.", "# TYPE a counter", "a 3", 'b{x="1",y="two, {2}"} 4.5', 'c{path="C:\\\\d\\n\\"e\\""} +Inf 1395066363000', "d NaN",
    "", "a {broken 1", "a", 'b{x=1} 2', "e five", 'b{x="1"',
  ].join("\n");
  assert.deepEqual(readMetrics(text), [
    { name: "a", labels: {}, value: 3 }, { name: "b", labels: { x: "1", y: "two, {2}" }, value: 4.5 },
    { name: "c", labels: { path: 'C:\\d\n"e"' }, value: Infinity }, { name: "d", labels: {}, value: Number.NaN },
  ]);
});

test("reads any cut of a text without an error", () => {
  const text = recorded("metrics.txt").slice(0, 2000);
  for (let end = 0; end <= text.length; end += 1) {
    assert.ok(readMetrics(text.slice(0, end)).every(({ name, value }) => name !== "" && typeof value === "number"));
  }
});

test("sums samples by their labels", () => {
  const metrics = new Metrics(readMetrics('a{x="1",y="1"} 1\na{x="1",y="2"} 2\na{x="2"} 4'));
  assert.equal(metrics.sum("a"), 7);
  assert.equal(metrics.sum("a", { x: "1" }), 3);
  assert.equal(metrics.sum("a", { x: "3" }), null);
  assert.equal(metrics.sum("b"), null);
});

test("chooses the numbers of a server from its recorded metrics", () => {
  const numbers = serverNumbers(new Metrics(readMetrics(recorded("metrics.txt"))));
  assert.equal(numbers.requests, 50);
  assert.equal(numbers.errors, 13);
  assert.deepEqual([numbers.tiles, numbers.hitRatio], [6, 0.5]);
  assert.deepEqual(numbers.memoryCache, { used: 61_473, limit: 268_435_456 });
  assert.deepEqual(numbers.diskCache, { used: 8_626_640, limit: 10_737_418_240 });
  assert.deepEqual(numbers.connections, { used: 1, limit: 4096 });
  assert.equal(numbers.memory.limit, 603_979_776);
  const [first, ...others] = numbers.upstreams;
  assert.deepEqual(first, { host: "http://127.0.0.1:9", state: "open", isWorking: false, requests: 5, failures: 5 });
  assert.ok(others.length === 7 && others.every(({ isWorking }) => isWorking));
});

test("a server without requests has no ratio, and numbers that it does not state are null", () => {
  const numbers = serverNumbers(new Metrics([]));
  assert.deepEqual(
    [numbers.requests, numbers.hitRatio, numbers.memory, numbers.diskCache, numbers.startedAt], [null, null, null, null, null]);
  assert.deepEqual(numbers.upstreams, []);
});

test("counts requests a second between two readings", () => {
  assert.equal(requestRate({ requests: 10, at: 1000 }, { requests: 30, at: 6000 }), 4);
  assert.equal(requestRate(null, { requests: 30, at: 6000 }), null);
  assert.equal(requestRate({ requests: 10, at: 1000 }, { requests: 2, at: 6000 }), null, "the server has started again");
});

test("lists the layers with tiles, the largest first", () => {
  const sizes = layerSizes(JSON.parse(recorded("cache.json")));
  assert.deepEqual(sizes.map(({ layer }) => layer), ["world", "demo", "ok", "atlas"]);
  assert.deepEqual(sizes[0], { layer: "world", memory: 30_255, disk: 16_683, tiles: 2 });
  assert.deepEqual(layerSizes({}), []);
});
