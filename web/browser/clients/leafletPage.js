import { readFileSync } from "node:fs";
import { createServer } from "node:http";

import { snippetFor } from "../../clients/clients.js";
import { libraries } from "./libraries.js";

/**
 * Serves a page with the viewer's snippet for Leaflet in the whole window, on an origin of its own. `base` is the tile
 * server's URL, `script` the path of leaflet.js. Returns {address, stop}.
 */
export async function leafletPage(base, layer, script, { latitude, longitude, zoom }) {
  const documents = await (await fetch(new URL("layers.json", base))).json();
  const document = documents.find(({ id }) => id === layer);
  const snippet = snippetFor("leaflet", document, base).replace(/setView\(.*\)/, `setView([${latitude}, ${longitude}], ${zoom})`);
  const page = libraries.leaflet.page(snippet, "/leaflet.js");
  const content = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">'
    + `${page.replace("width: 800px; height: 600px", "width: 100vw; height: 100vh")}`;
  const server = createServer((request, response) => {
    const isScript = request.url === "/leaflet.js";
    response.writeHead(200, { "Content-Type": isScript ? "text/javascript" : "text/html; charset=utf-8" })
      .end(isScript ? readFileSync(script) : content);
  });
  await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
  return { address: `http://127.0.0.1:${server.address().port}/`, stop: () => server.close() };
}
