import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { bundle, entries } from "../bundle.js";

/** Returns the value that the bundle of these files assigns to `globalThis.result`. The first file is `main.js`. */
async function result(files) {
  const directory = mkdtempSync(join(tmpdir(), "bundle-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    await import(`data:text/javascript,${encodeURIComponent(bundle("main.js", directory))}`);
    return globalThis.result;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test("puts modules into one, each once, with names of their own", async () => {
  const files = {
    "a.js": "const own = 1;\nexport const one = own;\nexport function two() {\n  return 2;\n}\n",
    "b.js": 'import { one } from "./a.js";\n\nconst own = 10;\nexport class Sum {\n  value = own + one;\n}\n',
    "main.js": 'import { Sum } from "./b.js";\nimport * as all from "./a.js";\nimport { two as second } from "./a.js";\n'
      + "globalThis.result = [new Sum().value, all.one, second()];\n",
  };
  assert.deepEqual(await result(files), [11, 1, 2]);
});

test("refuses modules that import each other, and what it cannot read", async () => {
  await assert.rejects(result({ "main.js": 'import { a } from "./b.js";\n', "b.js": 'import { b } from "./main.js";\n' }));
  await assert.rejects(result({ "main.js": 'import "./b.js";\n', "b.js": "" }));
  await assert.rejects(result({ "main.js": 'import { a } from "./b.js";\n', "b.js": "export default 1;\n" }));
});

test("leaves comments behind that stand on lines of their own", async () => {
  const text = "/** Says\n * much. */\nconst url = \"http://one\"; // two\n  // three\nglobalThis.result = [url, 4 /* five */];\n";
  const files = { "main.js": text };
  assert.deepEqual(await result(files), ["http://one", 4]);
});

test("reads the viewer", () => {
  assert.match(bundle("main.js"), /class MapCanvas/);
  assert.match(bundle("events/worker.js"), /"\.\.\/\.\.\/events"/);
});

test("the bundles are those of the modules: web/bundle.js writes them anew", () => {
  for (const entry of entries) {
    const kept = readFileSync(new URL(`../bundles/${entry}`, import.meta.url), "utf8");
    assert.ok(kept === bundle(entry), `bundles/${entry} is stale`);
  }
});
