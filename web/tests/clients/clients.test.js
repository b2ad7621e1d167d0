import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

import { ClientLayer } from "../../clients/ClientLayer.js";
import { clients } from "../../clients/clients.js";
import { clientsDocument } from "../../clients/document.js";
import { base, googleWeb, layer, leaflet, maplibre, openLayers, snippet } from "./snippets.js";

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
  const phones = ["gms-swift", "gms-objc", "mapkit", "google-flutter", "react-native-maps", "google-android", "google-web", "grafana"];
  const images = ["home-assistant", "leaflet", "openlayers", "cesium", "deckgl", "arcgis-web", "flutter-map", "arcgis"];
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
    url: "https://tiles.example.org/floors/{z}/{x}/{y}{r}.png?empty=transparent", maxNativeZoom: 18, maxZoom: 22, crossOrigin: true,
  };
  assert.deepEqual(leaflet({}), { view: [[20, 0], 2], ...plain });
  assert.deepEqual(
    leaflet(large), { view: [[20, 0], 2], ...plain, tileSize: 512, zoomOffset: -1, minZoom: 1, maxNativeZoom: 19 });
  assert.deepEqual(leaflet({ ...floors, scales: [1], format: "jpg" }), {
    view: [[49.26, -123.11015], 18], ...plain, url: "https://tiles.example.org/floors/{z}/{x}/{y}.jpg?empty=transparent", minZoom: 15,
    bounds: [[49.2595, -123.1112], [49.2605, -123.1091]],
  });
  const { maxNativeZoom, ...whole } = plain;
  assert.deepEqual(leaflet({ maxzoom: 23 }), { view: [[20, 0], 2], ...whole, maxZoom: 23 });
  // The difference is no whole number of zooms, so the tiles are drawn as if they had 256 points.
  assert.equal(leaflet({ tileSize: 300 }).zoomOffset, undefined);
});

test("MapLibre: tiles of 256 and 512 pixels, of one scale, with bounds", () => {
  const source = (more) => maplibre(more).style.sources.tiles;
  const plain = {
    type: "raster", tiles: ["https://tiles.example.org/floors/{z}/{x}/{y}{ratio}.png?empty=204"], tileSize: 256, maxzoom: 18,
  };
  const { tileSize, ...others } = plain;
  assert.deepEqual(source({}), plain);
  // MapLibre's own defaults.
  assert.deepEqual(source(large), others);
  assert.equal(source({ maxzoom: 22 }).maxzoom, undefined);
  assert.deepEqual(source({ ...floors, scales: [1] }), {
    ...plain, tiles: ["https://tiles.example.org/floors/{z}/{x}/{y}.png?empty=204"], minzoom: 15, bounds: [-123.1112, 49.2595, -123.1091, 49.2605],
  });
  assert.deepEqual(maplibre({ opacity: 0.5 }).style.layers[0].paint, { "raster-opacity": 0.5 });
});

test("OpenLayers: tiles of 256 and 512 pixels, at one and two pixels a point, with bounds", () => {
  const plain = { maxZoom: 18, crossOrigin: "anonymous" };
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

test("Home Assistant: the options of Leaflet, and no credit to OpenStreetMap", () => {
  assert.match(snippet("home-assistant"), new RegExp(`^#.*
type: custom:map-card
x: 20
y: 0
zoom: 2
tile_layer_url: "https://tiles.example.org/floors/{z}/{x}/{y}{r}.png\\?empty=transparent"
tile_layer_attribution: ""
tile_layer_options:
  maxNativeZoom: 18
  maxZoom: 22$`));
  const small = snippet("home-assistant", { ...floors, ...large, opacity: 0.5, attribution: '"A" \\' });
  assert.match(small, /attribution: "&quot;A&quot; \\\\"\n *tile_layer_options:\n  tileSize: 512\n  zoomOffset: -1\n  minZoom: 16\n/);
  assert.match(small, /  bounds: \[\[49.2595, -123.1112\], \[49.2605, -123.1091\]\]\n  opacity: 0.5$/);
});

test("Grafana: the configuration of a base layer", () => {
  const config = (more, at) => {
    const [, value] = /^default_baselayer_config = `([^`]*)`$/m.exec(snippet("grafana", more, at));
    assert.doesNotMatch(value, /[$%]/);
    return JSON.parse(value);
  };
  const url = "https://tiles.example.org/floors/{z}/{x}/{y}@2x.png?empty=overzoom";
  assert.deepEqual(config({}), { type: "xyz", config: { url } });
  assert.ok(snippet("grafana").includes(`; ${url}\n`));
  // Grafana draws images of any size in the place of a tile.
  assert.deepEqual(config(large), { type: "xyz", config: { url: url.replace("@2x", "") } });
  assert.deepEqual(config(hostile, "https://a.example/%28$x`/").config, {
    url: "https://a.example/%28$x%60/a-b_c-1/{z}/{x}/{y}@2x.png?empty=overzoom", attribution: leaflet(hostile).attribution,
  });
});

test("each text opens the page's camera, in the units of its client", () => {
  const seen = { latitude: 47.3769123456, longitude: 8, zoom: 16.2, bearing: 30, viewingAngle: 62 };
  const text = (id) => snippet(id, {}, undefined, seen);
  assert.match(text("gms-swift"), /GMSCameraPosition\(latitude: 47.376912, longitude: 8, zoom: 16.2, bearing: 30, viewingAngle: 62\)$/);
  assert.match(text("gms-objc"), /cameraWithLatitude:47.376912 longitude:8 zoom:16.2 bearing:30 viewingAngle:62\];$/);
  assert.match(text("google-flutter"), /target: LatLng\(47.376912, 8\), zoom: 16.2, bearing: 30, tilt: 62,/);
  assert.match(text("google-android"), /CameraPosition\(LatLng\(47.376912, 8.0\), 16.2f, 62f, 30f\)/);
  assert.match(text("google-web"), /center: \{ lat: 47.376912, lng: 8 \}, zoom: 16.2, heading: 30, tilt: 62 \}/);
  // 400 of the 256 · 2^16.2 points around the world.
  assert.match(text("mapkit"), /latitude: 47.376912, longitude: 8\),\n *span: MKCoordinateSpan\(latitudeDelta: 0.00506, longitudeDelta: 0.00747\)/);
  assert.match(text("react-native-maps"), /latitude: 47.376912, longitude: 8, latitudeDelta: 0.00506, longitudeDelta: 0.00747,/);
  assert.deepEqual(leaflet({}, undefined, seen).view, [[47.376912, 8], 16]);
  const { center, zoom, bearing, pitch, maxPitch } = maplibre({}, undefined, seen);
  assert.deepEqual([center, zoom, bearing, pitch, maxPitch], [[8, 47.376912], 15.2, 30, 62, 62]);
  assert.equal(maplibre({}, undefined, { ...seen, viewingAngle: 60 }).maxPitch, undefined);
  assert.match(text("openlayers"), /fromLonLat\(\[8, 47.376912\]\), zoom: 16.2, rotation: -30 \* Math.PI \/ 180 \}/);
  assert.match(text("cesium"), /fromDegrees\(7.99255, 47.373117, 8.00745, 47.380707\)/);
  // Across the antimeridian, where the west is greater than the east.
  assert.match(snippet("cesium", {}, undefined, { ...seen, longitude: 179.999 }), /fromDegrees\(179.99155, 47.\d+, -179.99355, 47.\d+\)/);
  assert.match(text("deckgl"), /\{ longitude: 8, latitude: 47.376912, zoom: 15.2, bearing: 30, pitch: 62, maxPitch: 62 \}/);
  assert.match(text("arcgis-web"), /view.center = \[8, 47.376912\];\nview.scale = 7859;$/);
  assert.match(text("maplibre-ios"), /47.376912, longitude: 8\)\nlet altitude = MLNAltitudeForZoomLevel\(15.2, 62, center.latitude, /);
  assert.match(text("maplibre-ios"), /MLNMapCamera\(lookingAtCenter: center, altitude: altitude, pitch: 62, heading: 30\)$/);
  assert.match(
    snippet("maplibre-ios", {}, undefined, { ...seen, viewingAngle: 0 }),
    /47.376912, longitude: 8\),\n *zoomLevel: 15.2, direction: 30, animated: false\)$/);
  assert.match(text("maplibre-android"), /LatLng\(47.376912, 8.0\)\).zoom\(15.2\)\n *.bearing\(30.0\).tilt\(62.0\)\n/);
  assert.match(text("flutter-map"), /LatLng\(47.376912, 8\), initialZoom: 16.2, initialRotation: -30,/);
  assert.match(text("home-assistant"), /\nx: 47.376912\ny: 8\nzoom: 16\n/);
  assert.match(text("grafana"), /Latitude: 47.376912, Longitude: 8, Zoom: 16.2\n/);
  assert.match(text("curl"), /floors\/16\/34224\/22949\.png/);
  // A map's own camera, where no page is open.
  const map = { camera: { lat: 42, lng: 14, zoom: 4.2, bearing: 10, viewingAngle: 25 } };
  assert.equal(maplibre(map).pitch, 25);
  assert.deepEqual(leaflet(map).view, [[42, 14], 4]);
});

test("a text has nothing that does not apply to its layer", () => {
  for (const { id, fails } of clients) {
    const [text, small] = [snippet(id), snippet(id, { ...floors, opacity: 0.5, attribution: "Ada", zIndex: 3 })];
    // Google's map on a page needs the number of columns for its repeated world, MapKit and Cesium the size of the view.
    if (!["google-web", "mapkit", "curl"].includes(id)) assert.doesNotMatch(text, /opacity|bounds\b(?!: \[west)|extent: |rectangle:|span = /i, id);
    assert.doesNotMatch(text, /transparency|alpha =|z-?index|rotation|tilt|pitch|heading|bearing/i, id);
    assert.doesNotMatch(text, /min(imum|native)?_?(zoom|z|level)(level)?["':= {(]+0\b/i, id);
    // The card of Home Assistant names OpenStreetMap otherwise.
    assert.doesNotMatch(text.replace('tile_layer_attribution: ""', ""), /attribution|credit|copyright|Show this/i, id);
    assert.ok(small.length > text.length || ["curl", "gdal", "arcgis"].includes(id), id);
    assert.doesNotMatch(snippet(id, { scales: [1] }), /@2x|ratio|retina|\{r\}/i, id);
    assert.doesNotMatch(fails(new ClientLayer(layer({ scales: [1] }), base)), /@2x|ratio/i, id);
  }
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
