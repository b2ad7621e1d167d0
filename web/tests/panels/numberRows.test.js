import assert from "node:assert/strict";
import { test } from "node:test";

import { numberRows, sizeRows, upstreamRow } from "../../panels/numberRows.js";
import { LocalText } from "../../text/LocalText.js";

const [english, german] = [new LocalText("en-GB", "UTC"), new LocalText("de-DE", "UTC")];

/** Replaces the spaces at which no line breaks. */
const plain = (rows) => rows.map((row) => row.map((each) => each.replaceAll("\u00a0", " ")));

const numbers = {
  requests: 12_345, errors: 3, tiles: 9000, hitRatio: 0.9876, memory: { used: 59_752_448, limit: 603_979_776 },
  memoryCache: { used: 61_473, limit: 268_435_456 }, diskCache: null, connections: { used: 2, limit: null }, startedAt: null, upstreams: [],
};

test("shows the numbers of a server, in the reader's language", () => {
  assert.deepEqual(plain(numberRows(numbers, 4.25, english)), [
    ["Requests", "12,345, 4.3 a second"], ["Errors (5xx)", "3"], ["From the cache", "98.8% of 9,000 tiles"],
    ["Memory", "57 MiB of 576 MiB"], ["Tiles in memory", "60 KiB of 256 MiB"], ["Connections", "2"],
  ]);
  assert.equal(plain(numberRows(numbers, null, german))[0][1], "12.345");
  assert.equal(plain(numberRows(numbers, null, german))[2][1], "98,8 % of 9.000 tiles");
});

test("says of a source whether it works", () => {
  const source = { host: "https://a.example", state: "closed", isWorking: true, requests: 1, failures: 0 };
  assert.deepEqual(upstreamRow(source, english), ["https://a.example", "1 request"]);
  assert.equal(
    upstreamRow({ ...source, state: "open", requests: 1200, failures: 5 }, english)[1],
    "does not work, so the server sends no requests: 1,200 requests, 5 failed");
});

test("adds up the smallest layers of a long list", () => {
  const sizes = Array.from({ length: 300 }, (_, index) => ({ layer: `l${index}`, memory: 1024, disk: index === 0 ? 2048 : 0, tiles: 1 }));
  const rows = plain(sizeRows(sizes, (id) => id.toUpperCase(), english));
  assert.equal(rows.length, 13);
  assert.deepEqual(rows[0], ["L0", "1 KiB in memory, 2 KiB on disk"]);
  assert.deepEqual(rows[12], ["288 other layers", "288 KiB in memory"]);
  assert.deepEqual(sizeRows([], String, english), []);
});
