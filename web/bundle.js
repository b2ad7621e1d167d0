#!/usr/bin/env node
// Puts a module and all that it imports into one, so that a browser asks for one file, which takes the module's place:
//
//     web/bundle.js main.js > …/assets/main.js
//     web/bundle.js events/worker.js > …/assets/events/worker.js
//
// Each other module becomes a function that is called once, in the order of their imports; names stay apart. What it
// cannot read is an error: imports are `import { a, b as c } from "./x.js"` or `import * as x from "./x.js"`, exports stand
// before a declaration.

import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));

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
  return readFileSync(path, "utf8").replace(/^#!.*\n/, "");
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
  process.stdout.write(bundle(process.argv[2] ?? "main.js"));
}
