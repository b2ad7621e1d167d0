// @ts-check
import { likelyBase } from "../clients/clients.js";

const names = {
  url: "URL", generator: "generator", geojson: "GeoJSON", mbtiles: "MBTiles", pmtiles: "PMTiles", directory: "files", map: "map", program: "program",
};

/** Returns the kind of a layer for people to read, from its document. Null if the server states none. */
export function kindName({ kind }) {
  if (typeof kind !== "string" || kind === "") return null;
  return Object.hasOwn(names, kind) ? names[kind] : kind;
}

/** Returns the line below a layer's name in the list: its id, its kind, its zooms and its description. */
export function summaryOf(document) {
  const { id, minzoom, maxzoom, description } = document;
  const zooms = minzoom === undefined || maxzoom === undefined ? null : `zoom\u00a0${minzoom}\u2060–\u2060${maxzoom}`;
  return [id, kindName(document), zooms, description].filter(Boolean).join(" · ");
}

/**
 * Returns the URLs of a layer's documents and tiles for other programs, from its entry in layers.json: {name, url}.
 * `page` is the URL of the page's own server.
 */
export function layerURLs(document, page) {
  const { id, tiles, format = "png" } = document;
  const base = likelyBase(document, page);
  // The query of the server's template has the generation, which would become stale in a copied URL.
  const tail = tiles?.[0]?.split("?")[0].split(`/${id}/`).at(-1) ?? `{z}/{x}/{y}.${format}`;
  return [
    { name: "TileJSON", url: `${base}${id}.json` }, { name: "WMTS", url: `${base}${id}/wmts.xml` },
    { name: "XYZ tiles", url: `${base}${id}/${tail}` },
  ];
}
