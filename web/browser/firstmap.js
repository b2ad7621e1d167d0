#!/usr/bin/env node
// Measures the time until the first map is complete, in the viewer and in a page with Leaflet, over HTTP/1.1 and HTTP/2:
//
//     web/browser/firstmap.js https://localhost:8443/ --leaflet leaflet.js [--layer world] [--rounds 9]
//         [--width 1920] [--height 1080]
//
// Each load has a Chromium of its own, without a cache, connections or TLS sessions. Chromium must trust the server's
// certificate. Each line of the output is one load in JSON. `milliseconds` is the end of the last tile, counted from the
// start of the navigation. In a large window, drawing without a graphics card takes longer than the network.

import { parseArgs } from "node:util";

import { Browser } from "./Browser.js";
import { leafletPage } from "./clients/leafletPage.js";
import { Page } from "./Page.js";

const { values, positionals: [base] } = parseArgs({
  allowPositionals: true,
  options: {
    leaflet: { type: "string" }, layer: { type: "string", default: "world" }, rounds: { type: "string", default: "9" },
    width: { type: "string", default: "1920" }, height: { type: "string", default: "1080" },
  },
});

/** A place where tiles have land and sea. */
const window = { width: Number(values.width), height: Number(values.height) };
const place = { latitude: 47, longitude: 8, zoom: 5 };

const leaflet = await leafletPage(base, values.layer, values.leaflet, place);
const isShown = "document.querySelectorAll('.leaflet-tile').length > 0"
  + " && [...document.querySelectorAll('.leaflet-tile')].every((tile) => tile.classList.contains('leaflet-tile-loaded'))";
const pages = [
  { name: "viewer", address: `${base}#${place.longitude},${place.latitude},${place.zoom}`, isComplete: "window.viewer && viewer.map.isComplete" },
  { name: "Leaflet", address: leaflet.address, isComplete: isShown },
];
const protocols = [{ name: "HTTP/1.1", id: "http/1.1", flags: ["--disable-http2"] }, { name: "HTTP/2", id: "h2", flags: [] }];

async function load(map, protocol) {
  const browser = await Browser.start({ flags: protocol.flags });
  try {
    const page = await Page.open(browser, map.address, window);
    await page.until(map.isComplete);
    const milliseconds = await page.value(
      "Math.max(...performance.getEntriesByType('resource').filter(({ name }) => name.includes('.png')).map((tile) => tile.responseEnd))");
    const tiles = page.requests.filter(({ url }) => url.includes(".png"));
    const wrong = tiles.find((tile) => tile.status !== 200 || tile.protocol !== protocol.id);
    if (wrong) throw new Error(`${wrong.url}: ${wrong.failure ?? wrong.status} over ${wrong.protocol}, not ${protocol.id}`);
    return { milliseconds, tiles: tiles.length };
  } finally {
    await browser.stop();
  }
}

// The first load of each page warms the server's cache.
for (const map of pages) await load(map, protocols[0]);
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const map of pages) {
    for (const protocol of round % 2 ? protocols : protocols.toReversed()) {
      console.log(JSON.stringify({ page: map.name, protocol: protocol.name, ...await load(map, protocol) }));
    }
  }
}
leaflet.stop();
