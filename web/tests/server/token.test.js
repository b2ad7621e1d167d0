import assert from "node:assert/strict";
import { test } from "node:test";

import { Server } from "../../server/Server.js";
import { startingToken } from "../../server/token.js";

/** A server below a prefix that gives the same response to every request. Records the requests. */
function answering(context, status, body) {
  const requests = [];
  context.mock.method(globalThis, "fetch", async (address, options) => {
    requests.push({ address, ...options });
    return new Response(JSON.stringify(body), { status });
  });
  return { server: new Server("https://a.example/maps/"), requests };
}

test("a code in the address is exchanged for the token", async (context) => {
  const { server, requests } = answering(context, 200, { token: "secret" });
  assert.equal(await startingToken({ token: null, code: "0a1b" }, server), "secret");
  assert.equal(requests.length, 1);
  const [{ address, method, headers, cache }] = requests;
  assert.deepEqual([address, method, cache], ["https://a.example/maps/admin/token", "POST", "no-store"]);
  assert.equal(headers.Authorization, "Bearer 0a1b");
});

test("a used code gives no token", async (context) => {
  const { server, requests } = answering(context, 401, { title: "spent", code: "unauthorized" });
  assert.equal(await startingToken({ token: null, code: "0a1b" }, server), null);
  assert.equal(requests.length, 1);
  context.mock.method(globalThis, "fetch", async () => { throw new TypeError("away"); });
  assert.equal(await startingToken({ token: null, code: "0a1b" }, server), null);
});

test("without a code no request is sent", async (context) => {
  const { server, requests } = answering(context, 200, { token: "secret" });
  assert.equal(await startingToken({ token: "typed", code: "0a1b" }, server), "typed");
  assert.equal(await startingToken({ token: null, code: null }, server), null);
  assert.equal(requests.length, 0);
});
