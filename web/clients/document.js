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

This page has a text to copy for each program that shows tiles, for a layer \`floors\` of \`${base}\`.

Every layer and map of the server works in these programs. The viewer shows the same texts for your layers, with their address, zooms and
bounds: **Use it in …** in the tab Layers. The layer on this page has tiles of 256 pixels in every scale.

- **Sharp tiles**: a tile of 256 pixels has 512 with \`@2x\`, of every layer. If a client's template cannot choose, the text always has
  \`@2x\`.
- **Missing tiles**: \`?empty=\` says what the server answers if there is no tile. \`404\` is the default of a layer, \`204\` has no content,
  \`transparent\` is an image, and \`overzoom\` is a part of a coarser tile. Each client needs another value. If there is no coarser tile
  either, \`overzoom\` answers as the layer's \`noTile\` says. For phones, set \`noTile: transparent\`.
- **No \`?v=\`**: the URL in a TileJSON has the layer's generation, so clients that read the TileJSON at each start may keep tiles for a
  year. An address that stays in a program must not have it. Its tiles live as long as [the server
  says](guides/cache.md#how-long-clients-keep-a-tile).
- **Tiles of 512 pixels** (\`tileSize: 512\`): each client needs another setting. The viewer's texts have it.
- **TLS**: iOS, Android and pages with \`https\` do not load \`http\`. [nginx](guides/nginx.md) adds TLS. With \`publicURL\`, the viewer's texts
  have its address. For an iPhone in your own network, see [Show tiles on an iPhone](guides/iphone.md).
- **Credits** stand in each text, as HTML or as plain text. If a program shows none, they stand in a comment, and the app must show them.

Users of Google's SDK for iOS report that translucent tiles of one colour come out grey or opaque. The server writes small forms of PNG,
with palettes and grey, and the SDK shows these wrong. \`png: { form: rgba }\` on the layer sends 8-bit truecolour with alpha
([Configuration](reference/configuration.md)).
`;

/** Returns the text of docs/clients.md. */
export function clientsDocument() {
  const all = groups.flatMap(({ clients }) => clients);
  const names = (list) => list.map(({ name }) => name).join(", ");
  const parts = groups.map(({ name, clients }) => `\n## ${name}\n${clients.map(section).join("")}`);
  const tail = `
## What is run

${wrapped("`scripts/clients` takes these texts as they stand and runs them, those for a browser from a page of another origin, against a"
    + ` server that has gaps: ${names(all.filter(({ runs }) => runs))}. Nothing of this project runs the others, but those in Swift are`
    + ` parsed, and those in JavaScript read by an engine: ${names(all.filter(({ runs }) => !runs))}.`)}
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
