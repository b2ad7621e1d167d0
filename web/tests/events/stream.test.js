import assert from "node:assert/strict";
import { test } from "node:test";

import { listen } from "../../events/stream.js";

/** Stands in for the browser's. */
class Source extends EventTarget {
  static CLOSED = 2;
  static all = [];
  readyState = 1;

  constructor(address) {
    super();
    this.address = address;
    Source.all.push(this);
  }

  fail(readyState) {
    this.readyState = readyState;
    this.onerror();
  }
}

test("after a refusal anything may have happened", () => {
  const [heard, waiting] = [[], []];
  listen("events", (event) => heard.push(event.type), { EventSource: Source, wait: (action) => waiting.push(action) });
  const [first] = Source.all;
  first.dispatchEvent(new Event("open"));
  first.onmessage({ data: '{"type":"clear"}' });
  // The browser connects again by itself, and says what it has heard last.
  first.fail(0);
  first.dispatchEvent(new Event("open"));
  assert.deepEqual([heard, Source.all.length], [["clear"], 1]);
  first.fail(Source.CLOSED);
  waiting.pop()();
  const second = Source.all[1];
  assert.equal(second.address, "events");
  second.dispatchEvent(new Event("open"));
  second.dispatchEvent(new Event("open"));
  assert.deepEqual(heard, ["clear", "reset"]);
});
