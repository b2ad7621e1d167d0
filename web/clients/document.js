#!/usr/bin/env node
// Writes docs/clients.md with the same functions that the viewer uses. The page shows what each client needs, with the
// URLs of an invented server. A test fails if the page is stale.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { ClientLayer } from "./ClientLayer.js";
import { groups, snippetFor } from "./clients.js";

const base = "https://tiles.example.org/";

/** An entry of layers.json: a floor of a building, with tiles of 256 pixels in every scale. */
const example = {
  id: "floors", name: "Ground floor", tilejson: `${base}floors.json`, tileSize: 256, scales: [1, 2, 3, 4], format: "png", minzoom: 15,
  maxzoom: 18, bounds: [-123.1112, 49.2595, -123.1091, 49.2605], attribution: '© <a href="https://example.org/">Example</a>',
};

const head = `<!-- Made by web/clients/document.js. Change that, or its neighbours, not this. -->
# Map clients

This page has code to copy for each program that shows tiles. Every layer and map of the server works in these programs. As an example, the
code shows an invented layer \`floors\` of \`${base}\`, with tiles of 256 pixels in every scale.

The viewer, the server's web page, has the same code for your own layers, with their address, zooms and bounds, and with the view that you
see. To see it, choose **Use it in …** in the tab Layers.

These points explain the code:

- **Sharp tiles**: \`@2x\` in the URL requests a tile with 512 pixels instead of 256, which looks sharp on a dense screen. The code always has
  \`@2x\` if the program cannot choose the scale itself.
- **Missing tiles**: \`?empty=\` tells the server what to answer if a layer has no tile at a place. Programs need different values, because
  some programs show an error or stop. For phones, also set \`noTile: transparent\` on the layer.

  | value | answer for a missing tile |
  |---|---|
  | \`404\` | an error, which is the default of a layer |
  | \`204\` | a response without content |
  | \`transparent\` | a transparent image |
  | \`overzoom\` | an enlarged part of a coarser tile. If there is no coarser tile, the layer's \`noTile\` applies |

- **No \`?v=\`**: a tile URL that you write into a program must not have \`?v=\`, because its value would never change. Programs keep
  tiles from a URL without \`?v=\` as long as [the server says](guides/cache.md#how-long-clients-keep-a-tile).
- **A TileJSON** (the description of a layer) has tile URLs that end with \`?v=\` and a number, the layer's generation. The number changes
  when the whole layer is cleared. A program that reads the TileJSON at each start may therefore keep tiles for a year.
- **Tiles of 512 pixels**: each program needs another setting for a layer with \`tileSize: 512\`. The viewer's code for such a layer has this
  setting.
- **TLS**: iOS, Android and pages with \`https\` refuse to load \`http\` URLs. The server speaks [HTTPS](guides/https.md) with a certificate.
  If \`publicURL\` is set, the viewer's code has this address. The viewer says what a phone needs for an address. For an iPhone in your own
  network, see [Show tiles on an iPhone](guides/iphone.md).
- **Credits**: the app must show the attribution of a layer. The code contains the attribution as HTML or plain text, or as a comment if the
  program cannot show it.

Google's SDK for iOS shows some translucent tiles of one colour as grey or opaque, as its users report. The cause is that the server writes
small forms of PNG by default, with palettes and grey. To avoid this, set \`png: { form: rgba }\` on the layer. The server then sends PNGs
with 8 bits each of red, green, blue and alpha ([Configuration](reference/configuration.md)).
`;

/** Returns the text of docs/clients.md. */
export function clientsDocument() {
  const all = groups.flatMap(({ clients }) => clients);
  const names = (list) => list.map(({ name }) => name).join(", ");
  const parts = groups.map(({ name, clients }) => `\n## ${name}\n${clients.map(section).join("")}`);
  const tail = `
## What is run

${wrapped("The script `scripts/clients` runs the unchanged code for these programs, with a server that lacks some tiles:"
    + ` ${names(all.filter(({ runs }) => runs))}. Code for a browser runs in a page of another origin than the server's.`)}

${wrapped("No test of this project runs the code for the other programs. Only the syntax of the code in Swift and JavaScript is checked."
    + ` These programs are: ${names(all.filter(({ runs }) => !runs))}.`)}
`;
  return head + parts.join("") + tail;
}

function section({ id, name, language, fails, runs, tried }) {
  const text = `\n\`\`\`${language}\n${snippetFor(id, example, base)}\n\`\`\`\n`;
  const byHand = tried ? ` Tried by hand with ${tried}.` : "";
  const run = runs ? `\`scripts/clients\` runs this code with ${runs}.` : `No test of this project runs this code.${byHand}`;
  return `\n### ${name}\n\n${wrapped(fails(new ClientLayer(example, base)))}\n\n${wrapped(run)}\n${text}`;
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
