#!/usr/bin/env node
// Writes docs/clients.md of the same functions that the viewer shows: what each client needs, with the addresses of an invented
// server. A test fails where it is stale.

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
# Clients

Every layer and map of the server can be used in these programs. The viewer shows the same texts for a layer of yours, with its address,
zooms and bounds: **Use it in …** in its tab Layers. Here they are for a layer \`floors\` of \`${base}\`, with tiles of
256 pixels in every scale.

- **Sharp on dense screens**: with \`@2x\` tiles of 256 pixels have 512, of every layer. A client whose template cannot choose has it always.
- **Missing tiles**: \`?empty=\` says what the server answers where there is none, and each client wants something else: \`404\`, the default
  of a layer; \`204\`, no content; \`transparent\`, an image; \`overzoom\`, a part of the tile above, where a map goes deeper than the layer.
  Where no tile is above either, \`overzoom\` is what the layer's \`noTile\` says; for phones that is best \`transparent\` too.
- **No \`?v=\`**: the URL in a TileJSON has the layer's generation, so that who reads it at every start may keep tiles for a year. An address
  that stays in a program must not have it: its tiles live as long as [the server says](caching.md#what-clients-are-told).
- **Tiles of 512 pixels** (\`tileSize: 512\`): each client is told of them in another way. The viewer's texts have it.
- **TLS**: iOS, Android and pages with \`https\` ask no \`http\`. A [reverse proxy](operations.md#behind-a-proxy) does TLS; with
  \`publicURL\` the viewer's texts have its address.
- **Credits** stand in each text, as HTML or as plain text. Where a program shows none they are in a comment, and the app's to show.

Google's SDK for iOS shows translucent tiles of one colour grey or opaque, as its users report, where their PNG has one of the leaner forms,
palettes and grey, that the server writes since they are smaller. \`png: { form: rgba }\` on the layer sends 8-bit truecolour with alpha
([Configuration](configuration.md)).
`;

/** The text of docs/clients.md. */
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

/** A paragraph in lines of 140 columns. */
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
