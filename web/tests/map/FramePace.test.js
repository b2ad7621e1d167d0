import assert from "node:assert/strict";
import { test } from "node:test";

import { FramePace } from "../../map/FramePace.js";

/** Timers that run when the test says so. Node's `mock.timers` differ between versions. */
function timers(context) {
  const waiting = new Map();
  context.mock.method(globalThis, "setTimeout", (action) => {
    const timer = {};
    waiting.set(timer, action);
    return timer;
  });
  context.mock.method(globalThis, "clearTimeout", (timer) => waiting.delete(timer));
  return () => {
    for (const [timer, action] of [...waiting]) {
      waiting.delete(timer);
      action();
    }
  };
}

test("draws drafts while the camera moves and frames are slow, and exactly at rest", async (context) => {
  const letTimersEnd = timers(context);
  const pace = new FramePace();
  let rests = 0;
  const frame = (now) => {
    pace.move(() => { rests += 1; });
    return pace.isDraft(now);
  };
  const drafts = [0, 1, 2, 3, 4, 5, 6].map((index) => frame(1000 + index * 80));
  assert.deepEqual(drafts, [false, false, false, false, true, true, true]);
  letTimersEnd();
  assert.equal(rests, 1);
  assert.ok(!pace.isMoving && !pace.isDraft(3700));
});

test("does not take one slow frame for all", (context) => {
  timers(context);
  const pace = new FramePace();
  const times = [1000, 1016, 1200, 1216, 1400, 1416, 1432];
  assert.ok(times.every((now) => {
    pace.move(() => {});
    return !pace.isDraft(now);
  }));
});

test("is not at rest while the map is held, unless it has not been moved", (context) => {
  const letTimersEnd = timers(context);
  const pace = new FramePace();
  let rests = 0;
  pace.isHeld = true;
  assert.ok(!pace.isMoving);
  pace.move(() => { rests += 1; });
  letTimersEnd();
  assert.ok(pace.isMoving && pace.isDraft(5000, true));
  pace.isHeld = false;
  letTimersEnd();
  assert.equal(rests, 1);
  assert.ok(!pace.isMoving);
});
