import assert from "node:assert/strict";
import { test } from "node:test";

import { LocalText } from "../../text/LocalText.js";

const [english, german] = [new LocalText("en-US", "UTC"), new LocalText("de-DE", "UTC")];

/** Replaces the spaces that a locale may not break. */
const plain = (text) => text.replace(/[\u00a0\u202f]/g, " ");

test("numbers have the separators of the reader's language", () => {
  assert.equal(english.number(1234567.25, 1), "1,234,567.3");
  assert.equal(german.number(1234567.25, 1), "1.234.567,3");
  assert.equal(plain(english.percent(0.875, 1)), "87.5%");
  assert.equal(plain(german.percent(0.875, 1)), "87,5 %");
});

test("sizes have the unit that gives one to four digits", () => {
  const texts = [0, 1, 1023, 1024, 4198, 102_400, 1_048_575, 5e6, 3.5e9, 2 ** 60].map((bytes) => plain(english.size(bytes)));
  assert.deepEqual(
    texts, ["0 B", "1 B", "1,023 B", "1 KiB", "4.1 KiB", "100 KiB", "1,024 KiB", "4.8 MiB", "3.3 GiB", "1,048,576 TiB"]);
  assert.equal(plain(german.size(4198)), "4,1 KiB");
});

test("times have the longest unit that occurs twice", () => {
  const texts = [0, 4, 119, 120, 7199, 7200, 75_600, 172_799, 172_800].map((seconds) => plain(english.duration(seconds)));
  assert.deepEqual(texts, ["0 s", "4 s", "119 s", "2 min", "120 min", "2 h", "21 h", "48 h", "2 d"]);
});

test("a moment of another day has its date", () => {
  const now = Date.UTC(2026, 10, 28, 20, 0, 0);
  assert.equal(plain(english.moment(Date.UTC(2026, 10, 28, 14, 5, 9), now)), "2:05:09 PM");
  assert.equal(german.moment(Date.UTC(2026, 10, 27, 14, 5, 9), now), "27.11.2026, 14:05:09");
});
