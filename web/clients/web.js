// @ts-check
import { lines, sentences } from "./ClientLayer.js";
import { inScript, inTemplate } from "./quoted.js";

/** Plain maps in a browser. `scenes.js` has the others. */
export const web = [
  {
    id: "leaflet", name: "Leaflet", language: "js", runs: "Leaflet 1.9.3 in Chromium, with one and with two pixels a point",
    fails: (layer) => sentences(
      "Leaflet treats a 204 response as a broken image (`tileerror`). A 404 is an error in the console, and"
        + " `ERR_BLOCKED_BY_ORB` if the page and the server have different origins. The code therefore requests a transparent"
        + " image for a missing tile.",
      layer.depth ? `Leaflet shows tiles of ${layer.tileSize} pixels at another zoom, so the code sets \`zoomOffset\`.` : null),
    snippet: leaflet,
  },
  {
    id: "maplibre", name: "MapLibre GL JS", language: "js", runs: "MapLibre GL JS 5.3 in Chromium, with one and with two pixels a point",
    fails: (layer) => sentences(
      layer.tileSize < 512 ? "MapLibre assumes tiles of 512 points unless `tileSize` is set. Smaller tiles then look blurred." : null,
      "After a 404, MapLibre logs an error and stretches coarser tiles over the gap. After a 204, the gap stays empty.",
      layer.isDense ? "Mapbox GL JS has the same options but no `{ratio}`, so write `@2x` in the URL." : null),
    snippet: maplibre,
  },
  {
    id: "openlayers", name: "OpenLayers", language: "js", runs: "the OpenLayers of MapProxy in Chromium, with one and with two pixels a point",
    fails: (layer) => sentences(
      layer.isDense
        ? "If `tilePixelRatio` does not match the pixels of the tiles, the tiles look blurred or are in the wrong place." : null,
      "A missing tile is an error in the console, and OpenLayers shows coarser tiles in the gap."),
    snippet: openLayers,
  },
];

/** Returns a box as the text of an array. */
export const degrees = ({ west, south, east, north }) => `[${west}, ${south}, ${east}, ${north}]`;

function leaflet(layer) {
  const depth = layer.depth ?? 0;
  const { view, bounds, levels } = layer;
  return lines(
    // Leaflet rounds the zoom.
    `const map = L.map("map").setView([${view.latitude}, ${view.longitude}], ${Math.round(view.zoom)});`,
    `L.tileLayer("${inScript(layer.base)}${layer.path({ ratio: layer.isDense ? "{r}" : "", empty: "transparent", takesWebP: true })}", {`,
    depth !== 0 ? [`  tileSize: ${layer.tileSize},`, `  zoomOffset: ${-depth},`] : null,
    levels.min > 0 ? `  minZoom: ${levels.min},` : null,
    levels.max < 22 ? [`  maxNativeZoom: ${levels.max},`, "  maxZoom: 22,  // enlarged beyond maxNativeZoom"] : `  maxZoom: ${levels.max},`,
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
    `  zoom: ${layer.zoomOf512},`,
    view.bearing !== 0 ? `  bearing: ${view.bearing},` : null,
    view.viewingAngle !== 0 ? `  pitch: ${view.viewingAngle},` : null,
    view.viewingAngle > 60 ? `  maxPitch: ${Math.ceil(view.viewingAngle)},` : null,
    "  style: {",
    "    version: 8,",
    "    sources: {",
    "      tiles: {",
    '        type: "raster",',
    `        tiles: ["${inScript(layer.base)}${layer.path({ ratio: layer.isDense ? "{ratio}" : "", empty: "204", takesWebP: true })}"],`,
    layer.tileSize !== 512 ? `        tileSize: ${layer.tileSize},` : null,
    layer.minZoom > 0 ? `        minzoom: ${layer.minZoom},` : null,
    layer.maxZoom !== 22 ? `        maxzoom: ${layer.maxZoom},` : null,
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
  // OpenLayers turns the map clockwise, and a camera with a bearing turns it the other way.
  const rotation = view.bearing !== 0 ? `, rotation: ${-view.bearing} * Math.PI / 180` : "";
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
    `  view: new View({ center: fromLonLat([${view.longitude}, ${view.latitude}]), zoom: ${view.zoom}${rotation} }),`,
    "  layers: [",
    "    new TileLayer({",
    bounds ? `      extent: transformExtent(${degrees(bounds)}, "EPSG:4326", "EPSG:3857"),` : null,
    layer.opacity < 1 ? `      opacity: ${layer.opacity},` : null,
    "      source: new XYZ({",
    `        url: ${url},`,
    layer.tileSize !== 256 ? `        tileSize: ${layer.tileSize},` : null,
    layer.isDense ? "        tilePixelRatio: ratio," : null,
    layer.minZoom > 0 ? `        minZoom: ${layer.minZoom},` : null,
    `        maxZoom: ${layer.maxZoom},`,
    layer.attribution.html ? `        attributions: "${inScript(layer.attribution.html)}",` : null,
    '        crossOrigin: "anonymous",',
    "      }),",
    "    }),",
    "  ],",
    "});",
  );
}
