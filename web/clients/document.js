#!/usr/bin/env node
// Writes docs/clients.md with the same functions that the viewer uses. The page shows what each client needs, with the
// URLs of an invented server. A test fails if the page is stale.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { groups, snippetFor } from "./clients.js";

const base = "https://tiles.example.org/";

/** An entry of layers.json: a floor of a building, with tiles of 256 pixels in every scale. */
const example = {
  id: "floors", name: "Ground floor", tilejson: `${base}floors.json`, tileSize: 256, scales: [1, 2, 3, 4], format: "png", minzoom: 15,
  maxzoom: 18, bounds: [-123.1112, 49.2595, -123.1091, 49.2605], attribution: '© <a href="https://example.org/">Example</a>',
};

const head = `<!-- Made by web/clients/document.js. Change that, or its neighbours, not this. -->
# Map clients

This page has code to copy for each program that shows tiles. Every layer and map of the server works in these programs. The
code here shows an invented layer \`floors\` of \`${base}\`, with tiles of 256 pixels in every scale.

The viewer has the same code for your own layers, with their address, zooms and bounds: **Use it in …** in the tab Layers. These points
explain the code:

- **Sharp tiles**: the server can send each tile with more pixels. \`@2x\` in the URL gives 512 pixels instead of 256. The code always has
  \`@2x\` if the program cannot choose the scale itself.
- **Missing tiles**: \`?empty=\` says what the server answers if a layer has no tile there. \`404\` is an error and the default of a layer.
  \`204\` is an answer without content. \`transparent\` is a transparent image. \`overzoom\` is an enlarged part of a coarser tile; if there
  is none, the layer's \`noTile\` applies. Each program needs another value, because some show an error or stop. For phones, also set
  \`noTile: transparent\` on the layer.
- **No \`?v=\`**: the tile URLs in a TileJSON, the description of a layer, end with \`?v=\` and the layer's generation. This number changes
  when the whole layer is cleared, so a program that reads the TileJSON at each start may keep tiles for a year. A URL that you write into a
  program must not have \`?v=\`, because it would never change. Tiles from such a URL are kept as long as [the server
  says](guides/cache.md#how-long-clients-keep-a-tile).
- **Tiles of 512 pixels** (\`tileSize: 512\`): each program needs another setting. The viewer's code for such a layer has it.
- **TLS**: iOS, Android and pages with \`https\` refuse to load \`http\`. [nginx](guides/nginx.md) adds TLS. If \`publicURL\` is set, the
  viewer's code has that address. For an iPhone in your own network, see [Show tiles on an iPhone](guides/iphone.md).
- **Credits**: the app must show the attribution of a layer. The code has it as HTML or plain text, or as a comment if the program cannot
  show it.

Users of Google's SDK for iOS report that it shows translucent tiles of one colour grey or opaque. The cause is the server's default: it
writes small forms of PNG, with palettes and grey. \`png: { form: rgba }\` on the layer sends PNGs with 8 bits of red, green, blue and alpha
instead ([Configuration](reference/configuration.md)).
`;

/** Returns the text of docs/clients.md. */
export function clientsDocument() {
  const all = groups.flatMap(({ clients }) => clients);
  const names = (list) => list.map(({ name }) => name).join(", ");
  const parts = groups.map(({ name, clients }) => `\n## ${name}\n${clients.map(section).join("")}`);
  const tail = `
## What is run

${wrapped("`scripts/clients` runs the code above as it stands, against a server that lacks some tiles. Code for a browser runs in a page"
    + ` of another origin. The script runs: ${names(all.filter(({ runs }) => runs))}.`)}

${wrapped("No test of this project runs the other code. Code in Swift and JavaScript is only parsed. Not run:"
    + ` ${names(all.filter(({ runs }) => !runs))}.`)}
`;
  return head + parts.join("") + tail;
}

function section({ id, name, language, fails, runs }) {
  const text = `\n\`\`\`${language}\n${snippetFor(id, example, base)}\n\`\`\`\n`;
  const run = runs ? `Run by \`scripts/clients\`: ${runs}.` : "Not run here.";
  return `\n### ${name}\n\n${wrapped(`${fails} ${run}`)}\n${text}`;
}

/** Returns a paragraph in lines of 140 columns. */
function wrapped(text) {
  const rows = [];
  for (const word of text.split(" ")) {
    const longer = rows.length > 0 ? `${rows.at(-1)} ${word}` : word;
    if (rows.length > 0 && longer.length <= 140) rows[rows.length - 1] = longer;
    else rows.push(word);
  }
  return rows.join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(fileURLToPath(new URL("../../docs/clients.md", import.meta.url)), clientsDocument());
  console.log("wrote docs/clients.md");
}
