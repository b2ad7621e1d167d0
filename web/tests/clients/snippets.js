import vm from "node:vm";

import { snippetFor } from "../../clients/clients.js";

export const base = "https://tiles.example.org/";

/** An entry of layers.json. */
export function layer(more = {}) {
  return {
    id: "floors", name: "Ground floor", tilejson: `${base}floors.json`, tileSize: 256, scales: [1, 2, 3, 4], format: "png", minzoom: 0, maxzoom: 18,
    bounds: [-180, -85.0511287798066, 180, 85.0511287798066], ...more,
  };
}

/** Returns the text of a client for such a layer. */
export function snippet(client, more, at = base, camera = null) {
  return snippetFor(client, layer(more), at, camera);
}

/**
 * Runs a script with the objects of its page. Its imports are names of `globals` too. Returns the globals after the
 * script.
 */
export function run(text, globals) {
  const imported = /^import (?:(\w+)|\{ ([^}]*) \})[^;]*;$/gm;
  const context = vm.createContext({ window: { devicePixelRatio: 2 }, ...globals });
  vm.runInContext(text.replace(imported, "").replace(/^const (map|tiles|imagery) =/gm, "globalThis.$1 ="), context);
  return context;
}

/** Returns a class that keeps the arguments of its constructor. */
export class Made {
  constructor(...values) {
    this.values = values;
    Object.assign(this, values.length === 1 ? values[0] : {});
  }
}

/** Returns the arguments of the Leaflet snippet to `L.tileLayer`, {url, ...options}, and {view} of the map. */
export function leaflet(more, at, camera) {
  const found = {};
  const L = {
    map: () => ({ setView: (...view) => Object.assign(found, { view }) }),
    tileLayer: (url, options) => ({ addTo: () => Object.assign(found, { url, ...options }) }),
  };
  run(snippet("leaflet", more, at, camera), { L });
  return JSON.parse(JSON.stringify(found));
}

/** Returns the options that the MapLibre snippet passes to its map. */
export function maplibre(more, at, camera) {
  const { map } = run(snippet("maplibre", more, at, camera), { maplibregl: { Map: Made } });
  return JSON.parse(JSON.stringify(map));
}

/** Returns the options that the OpenLayers snippet passes to its source, at a number of pixels a point. */
export function openLayers(more, at, devicePixelRatio = 2) {
  const globals = {
    Map: Made, View: Made, TileLayer: Made, XYZ: Made, fromLonLat: (place) => place, transformExtent: (extent) => extent, window: { devicePixelRatio },
  };
  const { map } = run(snippet("openlayers", more, at), globals);
  const [{ source, extent }] = map.layers;
  return JSON.parse(JSON.stringify({ ...source, values: undefined, extent }));
}

/** Returns the ImageMapType of Google's snippet, and the content of its map's corner. */
export function googleWeb(more, at) {
  const corner = [];
  const google = { maps: { ImageMapType: Made, Size: Made, ControlPosition: { BOTTOM_RIGHT: "corner" } } };
  const map = { overlayMapTypes: [], controls: { corner }, moveCamera: () => {} };
  const { tiles } = run(snippet("google-web", more, at), { google, map, document: { createElement: () => ({}) } });
  return { tiles, corner };
}
