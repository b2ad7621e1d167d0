// @ts-check
const names = {
  url: "URL template", generator: "generator", geojson: "GeoJSON", mbtiles: "MBTiles", directory: "files", map: "map", program: "program",
};

/** Returns the kind of a layer for people to read, from its document. Null if the server states none. */
export function kindName({ kind }) {
  if (typeof kind !== "string" || kind === "") return null;
  return Object.hasOwn(names, kind) ? names[kind] : kind;
}

/** Returns the line below a layer's name in the list: its id, its kind, its zooms and its description. */
export function summaryOf(document) {
  const { id, minzoom, maxzoom, description } = document;
  const zooms = minzoom === undefined || maxzoom === undefined ? null : `zoom ${minzoom}–${maxzoom}`;
  return [id, kindName(document), zooms, description].filter(Boolean).join(" · ");
}

/**
 * Returns the addresses of a layer's documents and tiles for other programs, from its entry in layers.json: {name, url}.
 * `base` is the page's own server, and replaces a missing address.
 */
export function layerURLs({ id, tilejson, tiles }, base) {
  const document = tilejson ?? new URL(`${id}.json`, base).href;
  // The generation in the query would become stale in a copied address.
  const template = (tiles?.[0] ?? `${base}${id}/{z}/{x}/{y}.png`).replace(/\?v=[^&]*$/, "");
  return [
    { name: "TileJSON", url: document }, { name: "WMTS", url: document.replace(/\.json$/, "/wmts.xml") },
    { name: "XYZ tiles", url: template },
  ];
}
