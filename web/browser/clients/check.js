#!/usr/bin/env node
// Runs the viewer's unchanged texts for Leaflet, MapLibre, OpenLayers and deck.gl, on a page of another origin:
//
//     web/browser/clients/check.js http://127.0.0.1:8080/ --gaps gaps --whole large,small --leaflet leaflet.js
//         --maplibre maplibre-gl.js --openlayers ol.js --deckgl deck.js [--grid grid] [--pictures DIRECTORY] [--empty 404]
//
// Layers with gaps have a picture in every odd column and no tile in the even ones. Whole layers have all tiles. At one
// and at two pixels a point, the client must request all tiles in the view, in the right scale. Existing pictures must
// be visible, nothing may be visible in the gaps, and the console must have no error. A layer of the generator
// `grid` must be seen by a turned camera as in the server's static image. `--empty` replaces the value of `empty`, which
// shows the client's reaction. The status is 1 if a check fails.

import { readFileSync, mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { parseArgs } from "node:util";

import { ClientLayer } from "../../clients/ClientLayer.js";
import { snippetFor } from "../../clients/clients.js";
import { project } from "../../geometry/mercator.js";
import { Browser } from "../Browser.js";
import { Page, pause } from "../Page.js";
import { decode } from "../png.js";
import { libraries } from "./libraries.js";
import { turnedCamera, turnedShift } from "./turned.js";

// The server may be behind a proxy with its own certificate.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
process.removeAllListeners("warning");

const [width, height] = [800, 600];

const { values, positionals: [base] } = parseArgs({
  allowPositionals: true,
  options: {
    gaps: { type: "string", default: "" }, whole: { type: "string", default: "" }, leaflet: { type: "string" }, maplibre: { type: "string" }, openlayers: { type: "string" },
    deckgl: { type: "string" }, grid: { type: "string", default: "" }, pictures: { type: "string" }, empty: { type: "string" },
  },
});

/**
 * Returns the view's tiles: {z, shown}. `shown` has a {x, y, isInside, isPicture, point} for each tile: whether it is
 * within the layer's bounds, whether it has a picture, and the centre of its visible part.
 */
function expected(document, library, hasGaps) {
  const layer = new ClientLayer(document, base);
  const world = 256 * 2 ** library.zoom(layer);
  const side = layer.tileSize;
  const span = world / side;
  const { edges } = layer;
  const target = project(layer.view);
  const [left, top] = [target.x * world - width / 2, target.y * world - height / 2];
  const shown = [];
  for (let column = Math.floor(left / side); column * side < left + width; column += 1) {
    for (let row = Math.max(Math.floor(top / side), 0); row < span && row * side < top + height; row += 1) {
      const x = ((column % span) + span) % span;
      const isInside = edges === null
        || (x + 1 > edges.left * span && x < edges.right * span && row + 1 > edges.top * span && row < edges.bottom * span);
      // A client may cut a tile off at the bounds.
      const seen = edges && isInside
        ? { left: edges.left * world, right: edges.right * world, top: edges.top * world, bottom: edges.bottom * world }
        : { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity };
      const first = Math.max(column * side, seen.left) - left;
      const last = Math.min((column + 1) * side, seen.right) - left;
      const upper = Math.max(row * side, seen.top) - top;
      const lower = Math.min((row + 1) * side, seen.bottom) - top;
      const [from, to] = [Math.max(first, 0), Math.min(last, width)];
      const [above, below] = [Math.max(upper, 0), Math.min(lower, height)];
      // A strip may consist of borders only.
      if (to - from < 16 || below - above < 16) continue;
      const isPicture = isInside && (!hasGaps || x % 2 === 1);
      shown.push({ x, y: row, isInside, isPicture, point: [(from + to) / 2, (above + below) / 2] });
    }
  }
  return { z: Math.log2(span), shown };
}

/** Reports whether the page's own colour is visible at a point of the view. */
function isBare(image, [x, y], scale) {
  const at = (Math.floor(y * scale) * image.width + Math.floor(x * scale)) * 3;
  const [red, green, blue] = image.pixels.slice(at, at + 3);
  return red > 250 && green < 5 && blue > 250;
}

let failures = 0;
function expect(isRight, text) {
  console.log(`${isRight ? "  ok " : "FAIL "} ${text}`);
  if (!isRight) failures += 1;
}

async function check(browser, address, name, document, scale) {
  const page = await Page.open(browser, `${address}${name}/${document.id}`, { width, height, scale });
  const { z, shown } = expected(document, libraries[name], gaps.includes(document));
  const tiles = () => page.requests.filter(({ url }) => url.startsWith(`${base}${document.id}/`));
  const end = Date.now() + 120_000;
  let image = null;
  // Maps do not report completion in a common way, so the picture is compared instead.
  for (;;) {
    image = decode(await page.screenshot());
    const isThere = shown.every(({ isPicture, point }) => !isPicture || !isBare(image, point, scale));
    if ((isThere && tiles().every(({ status }) => status)) || Date.now() > end) break;
    await pause(100);
  }
  // A map handles gaps after its tiles.
  await pause(1000);
  image = decode(await page.screenshot(values.pictures && `${values.pictures}/${name}-${document.id}@${scale}x.png`));
  const title = `${name}, ${document.id}, ${scale} pixels a point`;
  const suffix = `${scale > 1 ? "@2x" : ""}.png?`;
  const isAsked = ({ x, y }) => tiles().some(({ url }) => url.startsWith(`${base}${document.id}/${z}/${x}/${y}${suffix}`));
  const names = (list) => list.map(({ x, y }) => `${z}/${x}/${y}`).join(" ");
  const inside = shown.filter(({ isInside }) => isInside);
  const odd = [...inside.filter((tile) => !isAsked(tile)), ...shown.filter((tile) => !tile.isInside && isAsked(tile))];
  const others = tiles().filter(({ url }) => !url.includes(`/${z}/`) || !url.includes(suffix) || (scale === 1 && url.includes("@")));
  const strange = `${names(odd)} ${others.map(({ url }) => url).join(" ")}`;
  expect(
    odd.length === 0 && others.length === 0,
    `${title}: the ${inside.length} tiles in view are asked for, none of another zoom or scale or beyond the bounds ${strange}`);
  const wrong = shown.filter(({ isPicture, point }) => isBare(image, point, scale) === isPicture);
  expect(wrong.length === 0, `${title}: pictures are seen where there are some, nothing elsewhere ${names(wrong)}`);
  const failed = page.requests.filter(({ url, status }) => /^http/.test(url) && (status >= 400 || !status));
  const said = [...page.messages, ...failed.map(({ url, status }) => `${status} ${url}`)];
  expect(said.length === 0, `${title}: nothing is said in the console, nothing fails ${said.slice(0, 2).join(" | ")}`);
  await page.close();
}

async function checkTurned(browser, address, name, document) {
  const page = await Page.open(browser, `${address}${name}/${document.id}/turned`, { width, height });
  const { shift, count } = await turnedShift(page, document, base, libraries[name]);
  if (values.pictures) await page.screenshot(`${values.pictures}/${name}-turned.png`);
  expect(
    count >= 4 && shift <= 1,
    `${name}: a turned camera sees ${count} crossings of the grid where the server draws them: ${shift} pixels off at most`);
  await page.close();
}

const documents = await (await fetch(new URL("layers.json", base))).json();
const named = (text) => text.split(",").filter(Boolean).map((id) => documents.find((document) => document.id === id));
const gaps = named(values.gaps);
const chosen = [...gaps, ...named(values.whole)];
const grids = named(values.grid);
const text = (name, document, camera) => {
  const found = snippetFor(name, document, base, camera);
  return values.empty ? found.replace(/empty=\w+/, `empty=${values.empty}`) : found;
};
const server = createServer((request, response) => {
  const [, name, id, turned] = new URL(request.url, "http://page").pathname.split("/");
  const document = [...chosen, ...grids].find((each) => each.id === id);
  if (!libraries[name]) return response.writeHead(204).end();
  if (id === "library.js") return response.writeHead(200, { "Content-Type": "text/javascript" }).end(readFileSync(values[name]));
  const content = libraries[name].page(text(name, document, turned ? turnedCamera : null), `/${name}/library.js`);
  return response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" })
    .end(`<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">${content}`);
});
await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
if (values.pictures) mkdirSync(values.pictures, { recursive: true });
const browser = await Browser.start({ flags: ["--ignore-certificate-errors"] });
const address = `http://127.0.0.1:${server.address().port}/`;
for (const name of Object.keys(libraries).filter((each) => values[each])) {
  for (const document of chosen) {
    for (const scale of [1, 2]) await check(browser, address, name, document, scale);
  }
  for (const document of grids) await checkTurned(browser, address, name, document);
}
await browser.stop();
server.close();
process.exitCode = failures > 0 ? 1 : 0;
