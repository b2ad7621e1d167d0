#!/usr/bin/env node
// Moves a map in Leaflet until a number of tiles was shown, in one Chromium that stays open, and reports lost tiles:
//
//     web/browser/pan.js https://localhost:8443/ --leaflet leaflet.js [--layer grid] [--tiles 10000] [--pause 400]
//
// Chromium must trust the server's certificate. The output is one line of JSON: the number of tiles by protocol, and the
// tiles that Leaflet did not show or that were no 200, with the reason.

import { parseArgs } from "node:util";

import { Browser } from "./Browser.js";
import { leafletPage } from "./clients/leafletPage.js";
import { Page } from "./Page.js";

const { values, positionals: [base] } = parseArgs({
  allowPositionals: true,
  options: {
    leaflet: { type: "string" }, layer: { type: "string", default: "grid" }, tiles: { type: "string", default: "10000" },
    pause: { type: "string", default: "400" },
  },
});

const place = { latitude: 0, longitude: -170, zoom: 12 };
const leaflet = await leafletPage(base, values.layer, values.leaflet, place);
const browser = await Browser.start();
try {
  const page = await Page.open(browser, leaflet.address, { width: 1920, height: 1080 });
  // Each view is far from the view before, so no tile is in both.
  const failed = await page.value(`(async () => {
    let layer, shown = 0;
    const failed = [];
    map.eachLayer((each) => { layer = each; });
    layer.on("tileerror", ({ tile }) => failed.push(tile.src));
    layer.on("tileload", () => { shown += 1; });
    for (let view = 1; shown + failed.length < ${Number(values.tiles)}; view += 1) {
      const loaded = new Promise((resolve) => { layer.once("load", resolve); });
      map.setView([${place.latitude} + view % 7, ${place.longitude} + view], ${place.zoom}, { animate: false });
      await loaded;
      await new Promise((resolve) => { setTimeout(resolve, ${Number(values.pause)}); });
    }
    return failed;
  })()`);
  const tiles = page.requests.filter(({ url }) => url.includes(".png"));
  const protocols = {};
  for (const { protocol } of tiles) protocols[protocol] = (protocols[protocol] ?? 0) + 1;
  const lost = tiles.filter(({ url, status, failure }) => status !== 200 || failure || failed.includes(url));
  console.log(JSON.stringify({
    tiles: tiles.length, protocols, lost: lost.map(({ url, status, failure }) => `${url} ${failure ?? status}`),
  }));
} finally {
  await browser.stop();
  leaflet.stop();
}
