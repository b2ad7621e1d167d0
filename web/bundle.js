#!/usr/bin/env node
// Writes bundles/. A bundle is one file with a module and everything that the module imports. It replaces the module,
// so a browser sends one request. The server's program contains the bundles.
//
// Each imported module becomes a function that is called once, in the order of the imports, so names stay separate.
// Imports must be `import { a, b as c } from "./x.js"` or `import * as x from "./x.js"`. An export must stand before a
// declaration. Anything else is an error. Comments on lines of their own are left out.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));

/** The modules that a browser loads by name. */
export const entries = ["main.js", "events/worker.js"];

/** Returns the bundle of `entry`, a path below `directory`. */
export function bundle(entry, directory = root) {
  const order = [];
  const first = join(directory, entry);
  visit(first, [], order);
  const parts = order.map((path) => wrapped(path, first, order));
  return `// Made by web/bundle.js of ${order.length} modules. Change these, not this.\n${parts.join("\n")}\n`;
}

const importing = /^import (?:\{([^}]*)\}|\* as (\w+)) from "(\.[^"]+)";\n/gm;

/** Adds a module to `order` after the modules that it imports. */
function visit(path, above, order) {
  if (order.includes(path)) return;
  if (above.includes(path)) throw new Error(`modules import each other: ${[...above, path].join(" -> ")}`);
  for (const [, , , target] of source(path).matchAll(importing)) visit(join(dirname(path), target), [...above, path], order);
  order.push(path);
}

function source(path) {
  return readFileSync(path, "utf8").replace(/^#!.*\n/, "").replace(/^ *(?:\/\/.*|\/\*\*[^]*?\*\/)\n/gm, "");
}

function wrapped(path, first, order) {
  const place = dirname(first);
  const name = (target) => `module${order.indexOf(target)}`;
  const exported = [];
  const body = source(path)
    .replace(importing, (_, names, whole, target) => {
      const from = name(join(dirname(path), target));
      if (whole) return `const ${whole} = ${from};\n`;
      return `const {${names.replace(/(\w+) as (\w+)/g, "$1: $2")}} = ${from};\n`;
    })
    .replace(/^export ((?:async )?function\*?|class|const|let) (\w+)/gm, (_, kind, found) => {
      exported.push(found);
      return `${kind} ${found}`;
    })
    // URLs relative to a module become relative to the bundle's path.
    .replace(/new URL\("([^"]+)", import\.meta\.url\)/g, (_, target) =>
      `new URL("${relative(place, join(dirname(path), target)) || "."}", import.meta.url)`);
  if (/^(import|export)\b/m.test(body)) throw new Error(`${relative(place, path)} imports or exports in another way`);
  if (path === first) return body;
  return `// ${relative(place, path)}\nconst ${name(path)} = (() => {\n${body}return { ${exported.join(", ")} };\n})();`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const entry of entries) {
    const path = join(root, "bundles", entry);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bundle(entry));
    console.log(`wrote web/bundles/${entry}`);
  }
}
