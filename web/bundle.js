#!/usr/bin/env node
// Writes bundles/: a module and all that it imports as one file, which takes the module's place, so that a browser asks once.
// The server has these in its program.
//
// Each other module becomes a function that is called once, in the order of their imports; names stay apart. What it
// cannot read is an error: imports are `import { a, b as c } from "./x.js"` or `import * as x from "./x.js"`, exports stand
// before a declaration. Comments on lines of their own stay behind.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));

/** The modules that a browser asks for by name. */
export const entries = ["main.js", "events/worker.js"];

/** The text of the module that `entry`, a path below `directory`, and all that it imports become. */
export function bundle(entry, directory = root) {
  const order = [];
  const first = join(directory, entry);
  visit(first, [], order);
  const parts = order.map((path) => wrapped(path, first, order));
  return `// Made by web/bundle.js of ${order.length} modules. Change these, not this.\n${parts.join("\n")}\n`;
}

const importing = /^import (?:\{([^}]*)\}|\* as (\w+)) from "(\.[^"]+)";\n/gm;

/** Adds a module after those that it imports. */
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
    // What lies beside a module is seen from the bundle's place.
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
