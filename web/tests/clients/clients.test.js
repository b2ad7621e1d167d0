import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

import { clients } from "../../clients/clients.js";
import { clientsDocument } from "../../clients/document.js";
import { googleWeb, leaflet, maplibre, openLayers, snippet } from "./snippets.js";

const floors = { minzoom: 15, bounds: [-123.1112, 49.2595, -123.1091, 49.2605] };
const large = { tileSize: 512 };
/** Texts that an unknown author of tiles may write. */
const hostile = {
  id: "a-b_c-1", name: `It's "5 %" $x \${x} \`x\` \\(x)\n*/ --> </script>`, opacity: 0.5, zIndex: 3,
  attribution: `<a href="https://x.example/?'&quot;$x">It's "5 %" \${x} \`x\` \\(x)</a>\nEND\n<script>alert(1)</script>`,
};

test("docs/clients.md is what the functions say: web/clients/document.js writes it anew", () => {
  assert.ok(readFileSync(new URL("../../../docs/clients.md", import.meta.url), "utf8") === clientsDocument(), "docs/clients.md is stale");
});

test("each client asks for missing tiles as it needs them", () => {
  const found = Object.fromEntries(clients.map(({ id }) => [id, /\?empty=(\w+)/.exec(snippet(id))[1]]));
  const phones = ["gms-swift", "gms-objc", "mapkit", "google-flutter", "react-native-maps", "google-android", "google-web"];
  const images = ["leaflet", "openlayers", "cesium", "deckgl", "arcgis-web", "flutter-map", "arcgis"];
  assert.deepEqual(found, {
    ...Object.fromEntries(phones.map((id) => [id, "overzoom"])), ...Object.fromEntries(images.map((id) => [id, "transparent"])),
    maplibre: "204", "maplibre-ios": "204", "maplibre-android": "204", qgis: "404", gdal: "404", curl: "404",
  });
  for (const id of phones) assert.match(snippet(id, { maxzoom: 22 }), /\?empty=transparent/);
});

test("each has the address behind a proxy, and none a generation", () => {
  for (const { id } of clients) {
    for (const more of [{}, large, floors, hostile]) {
      const text = snippet(id, more, "https://a.example/maps/tiles");
      const path = `https://a.example/maps/tiles/${more.id ?? "floors"}/`;
      assert.ok(text.includes(path), `${id} has the address`);
      assert.ok(!/[?&;]v=/.test(text) && !/undefined|NaN|\[object/.test(text), `${id}: ${text}`);
    }
  }
});

test("Leaflet: tiles of 256 and 512 pixels, of one scale, with bounds", () => {
  const plain = {
    url: "https://tiles.example.org/floors/{z}/{x}/{y}{r}.png?empty=transparent", minZoom: 0, maxNativeZoom: 18, maxZoom: 22, crossOrigin: true,
  };
  assert.deepEqual(leaflet({}), { view: [[20, 0], 2], ...plain });
  assert.deepEqual(
    leaflet(large), { view: [[20, 0], 3], ...plain, tileSize: 512, zoomOffset: -1, minZoom: 1, maxNativeZoom: 19 });
  assert.deepEqual(leaflet({ ...floors, scales: [1], format: "jpg" }), {
    view: [[49.26, -123.11015], 18], ...plain, url: "https://tiles.example.org/floors/{z}/{x}/{y}.jpg?empty=transparent", minZoom: 15,
    bounds: [[49.2595, -123.1112], [49.2605, -123.1091]],
  });
  // The difference is no whole number of zooms, so the tiles are drawn as if they had 256 points.
  assert.equal(leaflet({ tileSize: 300 }).zoomOffset, undefined);
});

test("MapLibre: tiles of 256 and 512 pixels, of one scale, with bounds", () => {
  const source = (more) => maplibre(more).style.sources.tiles;
  const plain = {
    type: "raster", tiles: ["https://tiles.example.org/floors/{z}/{x}/{y}{ratio}.png?empty=204"], tileSize: 256, minzoom: 0, maxzoom: 18,
  };
  assert.deepEqual(source({}), plain);
  assert.deepEqual(source(large), { ...plain, tileSize: 512 });
  assert.deepEqual(source({ ...floors, scales: [1] }), {
    ...plain, tiles: ["https://tiles.example.org/floors/{z}/{x}/{y}.png?empty=204"], minzoom: 15, bounds: [-123.1112, 49.2595, -123.1091, 49.2605],
  });
  assert.deepEqual(maplibre({ opacity: 0.5 }).style.layers[0].paint, { "raster-opacity": 0.5 });
});

test("OpenLayers: tiles of 256 and 512 pixels, at one and two pixels a point, with bounds", () => {
  const plain = { tileSize: 256, minZoom: 0, maxZoom: 18, crossOrigin: "anonymous" };
  const url = (ratio) => `https://tiles.example.org/floors/{z}/{x}/{y}${ratio}.png?empty=transparent`;
  assert.deepEqual(openLayers({}), { ...plain, url: url("@2x"), tilePixelRatio: 2 });
  assert.deepEqual(openLayers({}, undefined, 1), { ...plain, url: url(""), tilePixelRatio: 1 });
  assert.deepEqual(openLayers(large), { ...plain, url: url("@2x"), tilePixelRatio: 2, tileSize: 512 });
  assert.deepEqual(openLayers({ ...floors, scales: [1] }), { ...plain, url: url(""), minZoom: 15, extent: floors.bounds });
});

test("Google's map on a page wraps x and leaves out what lies beyond the layer", () => {
  const { tiles, corner } = googleWeb({});
  const url = (x, y) => `https://tiles.example.org/floors/2/${x}/${y}@2x.png?empty=overzoom`;
  assert.deepEqual([-1, 0, 3, 4, 9].map((x) => tiles.getTileUrl({ x, y: 1 }, 2)), [3, 0, 3, 0, 1].map((x) => url(x, 1)));
  assert.deepEqual([-1, 4].map((y) => tiles.getTileUrl({ x: 0, y }, 2)), [null, null]);
  assert.deepEqual(corner, []);
  const { tiles: few } = googleWeb(floors);
  const has = (x, y, zoom) => few.getTileUrl({ x, y }, zoom) !== null;
  assert.deepEqual([has(41425, 89736, 18), has(41427, 89736, 18), has(41425, 89730, 18), has(2589, 5608, 14)], [true, false, false, false]);
  assert.ok(has(41425 + 2 ** 18, 89736, 18) && has(41425 * 4, 89736 * 4, 20));
});

test("phones: tiles of 512 pixels, whichever way they come about", () => {
  assert.match(snippet("gms-swift"), /@2x\.png[^]*tileSize = 512 /);
  assert.match(snippet("gms-swift", large), /\\\(y\)\.png[^]*tileSize = 512 /);
  assert.match(snippet("gms-swift", { scales: [1] }), /\\\(y\)\.png[^]*tileSize = 256 /);
  assert.match(snippet("gms-objc"), /%lu@2x\.png[^]*tileSize = 512;/);
  assert.match(snippet("google-android"), /UrlTileProvider\(512, 512\)[^]*\$y@2x\.png/);
  assert.match(snippet("google-flutter"), /\$y@2x\.png[^]*Tile\(512, 512[^]*tileSize: 512,/);
  assert.match(snippet("react-native-maps"), /\{y\}@2x\.png[^]*tileSize=\{Platform\.OS === "android" \? 512 : 256\}/);
  for (const id of ["gms-swift", "gms-objc", "google-flutter", "react-native-maps"]) assert.match(snippet(id), /png: \{ form: rgba \}/);
  assert.doesNotMatch(snippet("gms-swift", { format: "jpg" }), /form: rgba/);
  for (const id of ["gms-swift", "mapkit", "google-android"]) {
    assert.match(snippet(id, {}, "http://tiles.example.org"), /a public server needs https/);
    assert.doesNotMatch(snippet(id), /has https/);
  }
});

test("QGIS and GDAL: the pixels of a tile", () => {
  assert.match(snippet("qgis"), /@2x\.png[^]*&tilePixelRatio=2"/);
  assert.match(snippet("qgis", large), /\{y\}\.png[^]*&tilePixelRatio=2"/);
  assert.doesNotMatch(snippet("qgis", { scales: [1] }), /tilePixelRatio|@2x/);
  assert.match(snippet("gdal", large), /<BlockSizeX>512</);
  assert.match(snippet("gdal", { ...floors, format: "jpg" }), /\.jpg[^]*<TileLevel>18<[^]*<BandsCount>3<[^]*-projwin -123.1112 49.2605 -123.1091 49.2595 /);
  // GDAL counts pixels in 32 bits.
  assert.match(snippet("gdal", { maxzoom: 30 }), /<TileLevel>22</);
  assert.match(snippet("gdal", { ...large, maxzoom: 30 }), /<TileLevel>21</);
  assert.match(snippet("gdal", { bounds: [170, -20, -170, 20] }), /-projwin 170 20 180 -20 /);
});

test("what makers of tiles write runs nowhere", () => {
  assert.equal(leaflet(hostile).attribution, '<a href="https://x.example/?&#39;&quot;$x">It&#39;s &quot;5 %&quot; ${x} `x` \\(x)</a> END');
  assert.equal(maplibre(hostile).style.sources.tiles.attribution, leaflet(hostile).attribution);
  assert.equal(openLayers(hostile).attributions, leaflet(hostile).attribution);
  const { tiles, corner } = googleWeb(hostile);
  assert.equal(tiles.name, `It's "5 %" $x \${x} \`x\` \\(x) */ --> </script>`);
  assert.equal(corner[0].innerHTML, leaflet(hostile).attribution);
  assert.match(snippet("flutter-map", hostile), /Text\('It\\'s "5 %" \\\$\{x\} `x` \\\\\(x\) END'\)/);
  assert.match(snippet("maplibre-android", hostile), /attribution = "<a href=\\"https:\/\/x\.example\/\?&#39;&quot;\\\$x\\">/);
  assert.match(snippet("qgis", hostile), /QgsRasterLayer\(source, "It's \\"5 %\\" /);
  for (const { id, language } of clients) {
    const text = snippet(id, { ...hostile, attribution: `${hostile.attribution} &lt;/script&gt;` });
    assert.ok((language !== "js" || !text.includes("</script")) && !text.includes("alert(1)") && !/\nEND\n[^]*\nEND\n/.test(text), `${id}: ${text}`);
  }
  // A proxy's prefix may contain characters that end strings.
  for (const { id } of clients) assert.ok(snippet(id, {}, "https://a.example/it's-$x/").includes("a.example/it"));
  assert.match(snippet("curl", {}, "https://a.example/it's/"), /'https:\/\/a\.example\/it'\\''s\/floors\//);
  assert.match(snippet("google-android", {}, "https://a.example/$x/"), /"https:\/\/a\.example\/\\\$x\/floors/);
});

test("each script is one that a browser reads", () => {
  for (const { id } of clients.filter(({ language }) => language === "js")) {
    for (const more of [{}, large, floors, { ...floors, ...hostile }, { scales: [1], format: "webp", attribution: "A" }]) {
      const text = snippet(id, more).replace(/^import [^;]*;$/gm, "");
      assert.doesNotThrow(() => new vm.Script(`(function () { ${text} })`), `${id}: ${text}`);
    }
  }
});
