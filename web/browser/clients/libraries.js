/**
 * The libraries that the snippets use, by the snippet's id. `page(text, address)` returns a page that runs the
 * unchanged snippet with the library's script at `address`. `zoom(layer)` returns the zoom of the snippet's map in
 * tiles of 256 points, so the world has 256 · 2^zoom points. `camera(camera)` returns the camera that the library shows
 * for a page's camera, if it cannot show the same.
 */
export const libraries = {
  leaflet: {
    page: (text, script) => `${leafletStyle}<script src="${script}"></script>${body(`<script>${text}</script>`)}`,
    zoom: (layer) => Math.round(layer.view.zoom),
    camera: (camera) => ({ ...camera, zoom: Math.round(camera.zoom), bearing: 0 }),
  },
  maplibre: {
    page: (text, script) => `<script src="${script}"></script>${body(`<script>${text}</script>`)}`,
    zoom: (layer) => layer.view.zoom,
  },
  openlayers: {
    page: (text, script) =>
      `<script src="${script}"></script>${modules(openLayers)}${body(`<script type="module">${text}</script>`)}`,
    zoom: (layer) => layer.view.zoom,
  },
  deckgl: {
    page: (text, script) => `<script src="${script}"></script>${modules(deckGL)}${body(`<script type="module">${text}</script>`)}`,
    zoom: (layer) => layer.view.zoom,
  },
};

/** Magenta appears in no tile. */
const body = (script) => `<style>html, body { margin: 0; background: #f0f; } #map { width: 800px; height: 600px; background: #f0f; }
.leaflet-control, .maplibregl-control-container, .ol-control { display: none; }</style><div id="map"></div>${script}`;

/** The rules of Leaflet's style that put tiles in their places. */
const leafletStyle = `<style>.leaflet-container { overflow: hidden; position: relative; }
.leaflet-pane, .leaflet-tile, .leaflet-tile-container, .leaflet-layer { position: absolute; left: 0; top: 0; }
.leaflet-container img.leaflet-tile { max-width: none !important; max-height: none !important; padding: 0; width: auto; }</style>`;

/** The modules that snippets import from a library's one script, with their exports. */
const openLayers = {
  "ol/Map.js": "default ol.Map", "ol/View.js": "default ol.View", "ol/layer/Tile.js": "default ol.layer.Tile",
  "ol/source/XYZ.js": "default ol.source.XYZ", "ol/proj.js": "const { fromLonLat, transformExtent } = ol.proj",
};
const deckGL = {
  "@deck.gl/core": "const { Deck } = deck", "@deck.gl/geo-layers": "const { TileLayer } = deck", "@deck.gl/layers": "const { BitmapLayer } = deck",
};

function modules(exported) {
  const imports = Object.entries(exported).map(([path, text]) => [path, `data:text/javascript,${encodeURIComponent(`export ${text};`)}`]);
  return `<script type="importmap">${JSON.stringify({ imports: Object.fromEntries(imports) })}</script>`;
}
