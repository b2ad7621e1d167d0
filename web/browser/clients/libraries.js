/**
 * The libraries that snippets run with, by the snippet's id. `page(text, address)` is the content of a page that runs a snippet as it
 * stands, with the library's script at `address`; `zoom(layer)` is how deep the snippet's map is in tiles of 256 points, so that the
 * world has 256 · 2^zoom of them.
 */
export const libraries = {
  leaflet: {
    page: (text, script) => `${leafletStyle}<script src="${script}"></script>${body(`<script>${text}</script>`)}`,
    zoom: (layer) => layer.view.zoom + (layer.depth ?? 0),
  },
  maplibre: {
    page: (text, script) => `<script src="${script}"></script>${body(`<script>${text}</script>`)}`,
    zoom: (layer) => layer.view.zoom,
  },
  openlayers: {
    page: (text, script) => `<script src="${script}"></script>${modules}${body(`<script type="module">${text}</script>`)}`,
    zoom: (layer) => layer.view.zoom,
  },
};

/** Magenta is in no tile. */
const body = (script) => `<style>html, body { margin: 0; background: #f0f; } #map { width: 800px; height: 600px; background: #f0f; }
.leaflet-control, .maplibregl-control-container, .ol-control { display: none; }</style><div id="map"></div>${script}`;

/** What of Leaflet's style tiles need to be in their places. */
const leafletStyle = `<style>.leaflet-container { overflow: hidden; position: relative; }
.leaflet-pane, .leaflet-tile, .leaflet-tile-container, .leaflet-layer { position: absolute; left: 0; top: 0; }
.leaflet-container img.leaflet-tile { max-width: none !important; max-height: none !important; padding: 0; width: auto; }</style>`;

/** The modules that the snippet imports, out of the library's one script. */
const names = {
  "ol/Map.js": "ol.Map", "ol/View.js": "ol.View", "ol/layer/Tile.js": "ol.layer.Tile", "ol/source/XYZ.js": "ol.source.XYZ",
};
const module = (text) => `data:text/javascript,${encodeURIComponent(text)}`;
const modules = `<script type="importmap">${JSON.stringify({
  imports: {
    ...Object.fromEntries(Object.entries(names).map(([path, name]) => [path, module(`export default ${name};`)])),
    "ol/proj.js": module("export const { fromLonLat, transformExtent } = ol.proj;"),
  },
})}</script>`;
