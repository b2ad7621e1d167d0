#!/usr/bin/env node
// Shows a style in MapLibre GL JS, on a page of another origin, and prints its requests and colours as JSON:
//
//     web/browser/style.js maplibre-gl.js STYLE [--scale 2] [--center 7.5,47] [--zoom 4] [--picture PATH]
//
// STYLE is a URL, or the style's text. The output is {"requests": [{"url", "status"}], "messages": [...], "colors",
// "zoom", "center"}. "colors" is the number of different visible colours.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { parseArgs } from "node:util";

import { Browser } from "./Browser.js";
import { Page, pause } from "./Page.js";
import { decode } from "./png.js";

const { values, positionals: [library, style] } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: "string", default: "1" }, center: { type: "string" }, zoom: { type: "string" }, picture: { type: "string" },
  },
});

const camera = values.center ? `center: [${values.center}], zoom: ${values.zoom},` : "";
const content = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<style>html, body, #map { margin: 0; height: 100%; background: #fff }</style><div id="map"></div><script src="library.js"></script>
<script>
  const map = new maplibregl.Map({ container: "map", style: ${style.startsWith("{") ? style : JSON.stringify(style)}, ${camera} attributionControl: false });
  map.on("error", ({ error }) => console.error(error.message));
  map.on("idle", () => { window.isIdle = true; });
</script>`;
const server = createServer((request, response) => {
  const isLibrary = request.url === "/library.js";
  response.writeHead(200, { "Content-Type": isLibrary ? "text/javascript" : "text/html; charset=utf-8" });
  response.end(isLibrary ? readFileSync(library) : content);
});
await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
const browser = await Browser.start({ flags: ["--ignore-certificate-errors"] });
const address = `http://127.0.0.1:${server.address().port}/`;
const page = await Page.open(browser, address, { width: 600, height: 400, scale: Number(values.scale) });
await page.until("window.isIdle");
// A fade may end after the map is idle. Failures are reported then, too.
await pause(1000);
const image = decode(await page.screenshot(values.picture));
const colors = new Set();
for (let at = 0; at < image.pixels.length; at += 3) {
  colors.add((image.pixels[at] << 16) | (image.pixels[at + 1] << 8) | image.pixels[at + 2]);
}
const { zoom, center } = await page.value("({ zoom: map.getZoom(), center: map.getCenter().toArray() })");
console.log(JSON.stringify({
  requests: page.requests.filter(({ url }) => /^http/.test(url) && !url.startsWith(address)).map(({ url, status }) => ({ url, status })),
  messages: page.messages, colors: colors.size, zoom, center,
}));
await browser.stop();
server.close();
