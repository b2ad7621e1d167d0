import assert from "node:assert/strict";
import { test } from "node:test";

import { listen } from "../../events/stream.js";

/** The opened event sources, and the pauses before them. */
function browser(context) {
  const [sources, pauses] = [[], []];
  globalThis.EventSource = class {
    static CLOSED = 2;
    readyState = 0;

    constructor() {
      sources.push(this);
    }

    refuse() {
      this.readyState = 2;
      this.onerror();
    }
  };
  context.after(() => { delete globalThis.EventSource; });
  context.mock.method(globalThis, "setTimeout", (action, pause) => {
    pauses.push(pause);
    action();
  });
  return { sources, pauses };
}

test("gives events, and leaves a lost connection to the browser", (context) => {
  const { sources } = browser(context);
  const heard = [];
  listen("events", (event) => heard.push(event));
  const [source] = sources;
  source.onopen();
  source.onmessage({ data: "{\"type\":\"clear\"}" });
  source.onerror();
  source.onopen();
  assert.deepEqual(heard, [{ type: "clear" }]);
  assert.equal(sources.length, 1);
});

test("asks a server that refuses again, ever later, and takes what it has missed for anything", (context) => {
  const { sources, pauses } = browser(context);
  const heard = [];
  listen("events", (event) => heard.push(event));
  sources[0].onopen();
  for (let count = 0; count < 6; count += 1) sources.at(-1).refuse();
  assert.deepEqual(pauses, [5000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  assert.deepEqual(heard, []);
  sources.at(-1).onopen();
  sources.at(-1).onopen();
  assert.deepEqual(heard, [{ type: "reset" }]);
});
