// @ts-check
import { lines } from "./ClientLayer.js";
import { inScript, inTemplate } from "./quoted.js";

/** Maps in a browser. */
export const web = [
  {
    id: "leaflet", name: "Leaflet", language: "js", runs: "Leaflet 1.9.3 in Chromium, with one and with two pixels a point",
    fails: "Leaflet treats a 204 response as a broken image (`tileerror`). A 404 is an error in the console, and"
      + " `ERR_BLOCKED_BY_ORB` if the page and the server have different origins. The code therefore requests a transparent"
      + " image for a missing tile. Leaflet shows tiles of 512 pixels one zoom deeper, so the code for such tiles sets"
      + " `zoomOffset`.",
    snippet: leaflet,
  },
  {
    id: "maplibre", name: "MapLibre GL JS", language: "js", runs: "MapLibre GL JS 5.3 in Chromium, with one and with two pixels a point",
    fails: "MapLibre assumes tiles of 512 points unless `tileSize` is set. Tiles of 256 points then look blurred. After a"
      + " 404, MapLibre logs an error and stretches coarser tiles over the gap. After a 204, the gap stays empty. Mapbox GL"
      + " JS has the same options but no `{ratio}`, so write `@2x` in the URL.",
    snippet: maplibre,
  },
  {
    id: "openlayers", name: "OpenLayers", language: "js", runs: "the OpenLayers of MapProxy in Chromium, with one and with two pixels a point",
    fails: "If `tilePixelRatio` does not match the pixels of the tiles, the tiles look blurred or are in the wrong place. A"
      + " missing tile is an error in the console, and OpenLayers shows coarser tiles in the gap.",
    snippet: openLayers,
  },
  {
    id: "cesium", name: "Cesium", language: "js",
    fails: "Cesium logs each missing tile. After too many missing tiles, it stops loading the imagery. A transparent tile"
      + " does not count as missing. Cesium needs CORS headers in every response, and the server always sends them."
      + " Requests with credentials fail, because they do not accept `Access-Control-Allow-Origin: *`.",
    snippet: cesium,
  },
  {
    id: "deckgl", name: "deck.gl", language: "js", runs: "the deck.gl of pydeck in Chromium, with one and with two pixels a point",
    fails: "A missing tile is an error in the console. In some versions of deck.gl, a missing tile even stops the whole"
      + " layer. deck.gl assumes tiles of 512 points unless `tileSize` is set.",
    snippet: deck,
  },
  {
    id: "arcgis-web", name: "ArcGIS Maps SDK for JavaScript", language: "js",
    fails: "A page with `https` can load tiles only by `https`. The layer assumes tiles of 256 points unless `tileInfo` is"
      + " set. A missing tile is an error in the console.",
    snippet: arcGIS,
  },
];

const degrees = ({ west, south, east, north }) => `[${west}, ${south}, ${east}, ${north}]`;

function leaflet(layer) {
  const depth = layer.depth ?? 0;
  const { view, bounds } = layer;
  return lines(
    `const map = L.map("map").setView([${view.latitude}, ${view.longitude}], ${Math.max(view.zoom + depth, 0)});`,
    `L.tileLayer("${inScript(layer.base)}${layer.path({ ratio: layer.isDense ? "{r}" : "", empty: "transparent", takesWebP: true })}", {`,
    depth !== 0 ? [`  tileSize: ${layer.tileSize},`, `  zoomOffset: ${-depth},`] : null,
    `  minZoom: ${Math.max(layer.minZoom + depth, 0)},`,
    `  maxNativeZoom: ${layer.maxZoom + depth},`,
    `  maxZoom: ${Math.max(layer.maxZoom + depth, 22)},  // enlarged beyond maxNativeZoom`,
    bounds ? `  bounds: [[${bounds.south}, ${bounds.west}], [${bounds.north}, ${bounds.east}]],` : null,
    layer.opacity < 1 ? `  opacity: ${layer.opacity},` : null,
    layer.zIndex !== 0 ? `  zIndex: ${layer.zIndex},` : null,
    layer.attribution.html ? `  attribution: "${inScript(layer.attribution.html)}",` : null,
    "  crossOrigin: true,",
    "}).addTo(map);",
  );
}

function maplibre(layer) {
  const { view, bounds } = layer;
  return lines(
    "const map = new maplibregl.Map({",
    '  container: "map",',
    `  center: [${view.longitude}, ${view.latitude}],`,
    `  zoom: ${Math.max(view.zoom - 1, 0)},`,
    "  style: {",
    "    version: 8,",
    "    sources: {",
    "      tiles: {",
    '        type: "raster",',
    `        tiles: ["${inScript(layer.base)}${layer.path({ ratio: layer.isDense ? "{ratio}" : "", empty: "204", takesWebP: true })}"],`,
    `        tileSize: ${layer.tileSize},`,
    `        minzoom: ${layer.minZoom},`,
    `        maxzoom: ${layer.maxZoom},`,
    bounds ? `        bounds: ${degrees(bounds)},` : null,
    layer.attribution.html ? `        attribution: "${inScript(layer.attribution.html)}",` : null,
    "      },",
    "    },",
    layer.opacity < 1
      ? `    layers: [{ id: "tiles", type: "raster", source: "tiles", paint: { "raster-opacity": ${layer.opacity} } }],`
      : '    layers: [{ id: "tiles", type: "raster", source: "tiles" }],',
    "  },",
    "});",
  );
}

function openLayers(layer) {
  const { view, bounds } = layer;
  const options = { empty: "transparent", takesWebP: true };
  const url = layer.isDense
    ? `\`${inTemplate(layer.base)}${layer.path({ ...options, ratio: '${ratio > 1 ? "@2x" : ""}' })}\``
    : `"${inScript(layer.base)}${layer.path(options)}"`;
  return lines(
    'import Map from "ol/Map.js";',
    'import View from "ol/View.js";',
    'import TileLayer from "ol/layer/Tile.js";',
    `import { fromLonLat${bounds ? ", transformExtent" : ""} } from "ol/proj.js";`,
    'import XYZ from "ol/source/XYZ.js";',
    "",
    layer.isDense ? "const ratio = window.devicePixelRatio > 1 ? 2 : 1;" : null,
    "const map = new Map({",
    '  target: "map",',
    `  view: new View({ center: fromLonLat([${view.longitude}, ${view.latitude}]), zoom: ${view.zoom} }),`,
    "  layers: [",
    "    new TileLayer({",
    bounds ? `      extent: transformExtent(${degrees(bounds)}, "EPSG:4326", "EPSG:3857"),` : null,
    layer.opacity < 1 ? `      opacity: ${layer.opacity},` : null,
    "      source: new XYZ({",
    `        url: ${url},`,
    `        tileSize: ${layer.tileSize},`,
    layer.isDense ? "        tilePixelRatio: ratio," : null,
    `        minZoom: ${layer.minZoom},`,
    `        maxZoom: ${layer.maxZoom},`,
    layer.attribution.html ? `        attributions: "${inScript(layer.attribution.html)}",` : null,
    '        crossOrigin: "anonymous",',
    "      }),",
    "    }),",
    "  ],",
    "});",
  );
}

function cesium(layer) {
  const { bounds } = layer;
  const side = layer.tileSize * layer.phoneScale;
  const path = layer.path({ ratio: layer.phoneScale === 2 ? "@2x" : "", empty: "transparent", takesWebP: true });
  return lines(
    `const imagery = viewer.imageryLayers.addImageryProvider(new Cesium.UrlTemplateImageryProvider({`,
    `  url: "${inScript(layer.base)}${path}",`,
    `  tileWidth: ${side},`,
    `  tileHeight: ${side},`,
    // Without a box, Cesium would request all tiles of the lowest zoom.
    bounds && layer.minZoom > 0 ? `  minimumLevel: ${layer.minZoom},` : null,
    `  maximumLevel: ${layer.maxZoom},`,
    bounds ? `  rectangle: Cesium.Rectangle.fromDegrees(${degrees(bounds).slice(1, -1)}),` : null,
    layer.attribution.html ? `  credit: new Cesium.Credit("${inScript(layer.attribution.html)}", true),` : null,
    "}));",
    layer.opacity < 1 ? `imagery.alpha = ${layer.opacity};` : null,
  );
}

function deck(layer) {
  const options = { empty: "transparent", takesWebP: true };
  const data = layer.isDense
    ? `\`${inTemplate(layer.base)}${layer.path({ ...options, ratio: '${window.devicePixelRatio > 1 ? "@2x" : ""}' })}\``
    : `"${inScript(layer.base)}${layer.path(options)}"`;
  return lines(
    'import { TileLayer } from "@deck.gl/geo-layers";',
    'import { BitmapLayer } from "@deck.gl/layers";',
    "",
    layer.attribution.text ? `// Show this with the map: ${layer.attribution.text.replaceAll("</", "<\\/")}` : null,
    "const tiles = new TileLayer({",
    `  id: "${layer.id}",`,
    `  data: ${data},`,
    `  tileSize: ${layer.tileSize},`,
    `  minZoom: ${layer.minZoom},`,
    `  maxZoom: ${layer.maxZoom},`,
    layer.bounds ? `  extent: ${degrees(layer.bounds)},` : null,
    layer.opacity < 1 ? `  opacity: ${layer.opacity},` : null,
    "  renderSubLayers(properties) {",
    "    const [[west, south], [east, north]] = properties.tile.boundingBox;",
    "    return new BitmapLayer(properties, { data: null, image: properties.data, bounds: [west, south, east, north] });",
    "  },",
    "});",
  );
}

function arcGIS(layer) {
  const path = layer.path({ z: "{level}", y: "{row}", x: "{col}", empty: "transparent", takesWebP: true });
  return lines(
    'import Extent from "@arcgis/core/geometry/Extent.js";',
    'import TileInfo from "@arcgis/core/layers/support/TileInfo.js";',
    'import WebTileLayer from "@arcgis/core/layers/WebTileLayer.js";',
    "",
    "const tiles = new WebTileLayer({",
    `  title: "${inScript(layer.name)}",`,
    `  urlTemplate: "${inScript(layer.base)}${path}",`,
    `  tileInfo: TileInfo.create({ size: ${layer.tileSize}, numLODs: ${layer.maxZoom + 1} }),`,
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
  );
}
