// @ts-check
import { lines, sentences } from "./ClientLayer.js";
import { inScript, inTemplate } from "./quoted.js";
import { isTurned, spanOf } from "./startView.js";
import { degrees } from "./web.js";

/** Globes and scenes in a browser. */
export const scenes = [
  {
    id: "cesium", name: "Cesium", language: "js",
    fails: () => "Cesium logs each missing tile. After too many missing tiles, it stops loading the imagery. A transparent tile"
      + " does not count as missing. Cesium needs CORS headers in every response, and the server always sends them."
      + " Requests with credentials fail, because they do not accept `Access-Control-Allow-Origin: *`.",
    snippet: cesium,
  },
  {
    id: "deckgl", name: "deck.gl", language: "js", runs: "the deck.gl of pydeck in Chromium, with one and with two pixels a point",
    fails: (layer) => sentences(
      "A missing tile is an error in the console. In some versions of deck.gl, a missing tile even stops the whole layer.",
      layer.tileSize !== 512 ? "deck.gl assumes tiles of 512 points unless `tileSize` is set." : null),
    snippet: deck,
  },
  {
    id: "arcgis-web", name: "ArcGIS Maps SDK for JavaScript", language: "js",
    fails: (layer) => sentences(
      layer.tileSize !== 256 ? "The layer assumes tiles of 256 points unless `tileInfo` is set." : null,
      "A missing tile is an error in the console."),
    snippet: arcGIS,
  },
];

/** Returns a longitude from -180 to 180. Cesium reads a box whose west is greater than its east as one across 180°. */
const wrapped = (longitude) => (Math.abs(longitude) <= 180 ? longitude : longitude - Math.sign(longitude) * 360);

function cesium(layer) {
  const { bounds, view } = layer;
  const span = spanOf(view, 800, 600);
  // From farther away, the camera sees half of the world at most.
  const [across, up] = [Math.min(span.longitude, 180) / 2, span.latitude / 2];
  const seen = [wrapped(view.longitude - across), view.latitude - up, wrapped(view.longitude + across), view.latitude + up]
    .map((edge) => Number(edge.toFixed(6)));
  const side = layer.tileSize * layer.phoneScale;
  const path = layer.path({ ratio: layer.phoneScale === 2 ? "@2x" : "", empty: "transparent", takesWebP: true });
  return lines(
    `${layer.opacity < 1 ? "const imagery = " : ""}viewer.imageryLayers.addImageryProvider(new Cesium.UrlTemplateImageryProvider({`,
    `  url: "${inScript(layer.base)}${path}",`,
    side !== 256 ? [`  tileWidth: ${side},`, `  tileHeight: ${side},`] : null,
    // Without a box, Cesium would request all tiles of the lowest zoom.
    bounds && layer.minZoom > 0 ? `  minimumLevel: ${layer.minZoom},` : null,
    `  maximumLevel: ${layer.maxZoom},`,
    bounds ? `  rectangle: Cesium.Rectangle.fromDegrees(${degrees(bounds).slice(1, -1)}),` : null,
    layer.attribution.html ? `  credit: new Cesium.Credit("${inScript(layer.attribution.html)}", true),` : null,
    "}));",
    layer.opacity < 1 ? `imagery.alpha = ${layer.opacity};` : null,
    `viewer.camera.setView({ destination: Cesium.Rectangle.fromDegrees(${seen.join(", ")}) });`,
  );
}

function deck(layer) {
  const { view } = layer;
  const steep = view.viewingAngle > 60 ? `, maxPitch: ${Math.ceil(view.viewingAngle)}` : "";
  const turned = isTurned(view) ? `, bearing: ${view.bearing}, pitch: ${view.viewingAngle}${steep}` : "";
  const options = { empty: "transparent", takesWebP: true };
  const data = layer.isDense
    ? `\`${inTemplate(layer.base)}${layer.path({ ...options, ratio: '${window.devicePixelRatio > 1 ? "@2x" : ""}' })}\``
    : `"${inScript(layer.base)}${layer.path(options)}"`;
  return lines(
    'import { Deck } from "@deck.gl/core";',
    'import { TileLayer } from "@deck.gl/geo-layers";',
    'import { BitmapLayer } from "@deck.gl/layers";',
    "",
    layer.attribution.text ? `// Show this with the map: ${layer.attribution.text.replaceAll("</", "<\\/")}` : null,
    "const tiles = new TileLayer({",
    `  id: "${layer.id}",`,
    `  data: ${data},`,
    layer.tileSize !== 512 ? `  tileSize: ${layer.tileSize},` : null,
    layer.minZoom > 0 ? `  minZoom: ${layer.minZoom},` : null,
    `  maxZoom: ${layer.maxZoom},`,
    layer.bounds ? `  extent: ${degrees(layer.bounds)},` : null,
    layer.opacity < 1 ? `  opacity: ${layer.opacity},` : null,
    "  renderSubLayers(properties) {",
    "    const [[west, south], [east, north]] = properties.tile.boundingBox;",
    "    return new BitmapLayer(properties, { data: null, image: properties.data, bounds: [west, south, east, north] });",
    "  },",
    "});",
    "",
    "new Deck({",
    '  parent: document.getElementById("map"),',
    `  initialViewState: { longitude: ${view.longitude}, latitude: ${view.latitude}, zoom: ${layer.zoomOf512}${turned} },`,
    "  controller: true,",
    "  layers: [tiles],",
    "});",
  );
}

/** The scale of ArcGIS at zoom 0 in tiles of 256 points. */
const worldScale = 591657527.591555;

function arcGIS(layer) {
  const { view } = layer;
  const path = layer.path({ z: "{level}", y: "{row}", x: "{col}", empty: "transparent", takesWebP: true });
  return lines(
    layer.bounds ? 'import Extent from "@arcgis/core/geometry/Extent.js";' : null,
    'import TileInfo from "@arcgis/core/layers/support/TileInfo.js";',
    'import WebTileLayer from "@arcgis/core/layers/WebTileLayer.js";',
    "",
    "const tiles = new WebTileLayer({",
    `  title: "${inScript(layer.name)}",`,
    `  urlTemplate: "${inScript(layer.base)}${path}",`,
    `  tileInfo: TileInfo.create({ ${layer.tileSize !== 256 ? `size: ${layer.tileSize}, ` : ""}numLODs: ${layer.maxZoom + 1} }),`,
    layer.bounds
      ? [
        "  fullExtent: new Extent({",
        `    xmin: ${layer.bounds.west}, ymin: ${layer.bounds.south}, xmax: ${layer.bounds.east}, ymax: ${layer.bounds.north},`,
        "    spatialReference: { wkid: 4326 },",
        "  }),",
      ] : null,
    layer.opacity < 1 ? `  opacity: ${layer.opacity},` : null,
    layer.attribution.text ? `  copyright: "${inScript(layer.attribution.text)}",` : null,
    "});",
    "map.add(tiles);",
    `view.center = [${view.longitude}, ${view.latitude}];`,
    `view.scale = ${Math.round(worldScale / 2 ** view.zoom)};`,
  );
}
